import assert from 'node:assert/strict'
import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { outcomeOf, post } from '../../testing/client.ts'
import { dataUrl, jpegFrame, jpegOf, mp3, png, vp8, wav, webpOf } from '../../testing/media.ts'
import { startGateway, type TestGateway, testCatalog } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'

const shipped = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
const route = testCatalog.models.small!.route
const mini = { ...shipped.models['gpt-4o-mini']!, route: [{ ...route[0]!, model: 'gpt-4o-mini' }] }
const { images: _, ...blind } = mini
const { tokenizer: __, ...uncounted } = mini
const models = {
  'gpt-4o-mini': mini,
  uncounted: { ...uncounted, tokenizer: null },
  blind,
  hearing: { ...blind, audio: { tokensPerSecond: 10 } }
}
const plan = { ...testCatalog.plans[freePlan]!, models: Object.keys(models) }
const [inputNanos, outputNanos] = [mini.prices.inputPicos / 1000, mini.prices.outputPicos / 1000]

let server: RunningModels
let gateway: TestGateway
t.before(async () => {
  server = await startModels({ port: 0, apiKey: 'upstream-credential' })
  gateway = await startGateway(server.url, { catalog: { models, plans: { [freePlan]: plan } } })
})
t.teardown(async () => {
  await gateway.close()
  await server.close()
})
t.beforeEach(() => server.clear())

const imageOf = (url: string, more: object = {}) => ({ type: 'image_url', image_url: { url, ...more } })
const audioOf = (bytes: Buffer, format = 'wav') => ({
  type: 'input_audio',
  input_audio: { data: bytes.toString('base64'), format }
})
const bodyOf = (part: object, model = 'gpt-4o-mini') => ({
  model,
  max_tokens: 10,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, part] }]
})
const ask = ({ secret }: SeededKey, body: unknown) => post(gateway, secret, '/chat/completions', body)
const producedNanos = () =>
  server.requests().reduce((sum, one) => sum + one.promptTokens * inputNanos + one.completionTokens * outputNanos, 0)

for (const model of ['gpt-4o-mini', 'uncounted']) {
  t.test(`12 images at once cost no more than the budget, with the prompt of ${model}`, async () => {
    // If each counted 1,105 tokens, all would be admitted, and cost 11 times the budget.
    const monthlyBudgetNanos = 28_000 * inputNanos
    const seeded = await gateway.seedKey({ key: { monthlyBudgetNanos } })
    const body = bodyOf(imageOf(dataUrl(png(1024, 1024))), model)
    const outcomes = await Promise.all(Array.from({ length: 12 }, async () => outcomeOf(await ask(seeded, body))))
    assert.deepEqual(outcomes.sort(), ['200', ...Array.from({ length: 11 }, () => '402 key_budget_exceeded')])
    const [request] = server.requests()
    assert.ok(request!.promptTokens > 25_501 && request!.promptTokens < 25_520, `${request!.promptTokens}`)
    assert.ok(producedNanos() <= monthlyBudgetNanos, `${producedNanos()}`)
  })
}

t.test('an image counts by its size, or as the largest image if its size is unknown', async () => {
  for (const [part, tokens] of [
    [imageOf(dataUrl(png(1024, 1024))), 25_501],
    [imageOf(dataUrl(png(1024, 1024)), { detail: 'low' }), 2833],
    [imageOf('https://example.com/a.png'), 48_169],
    [imageOf(dataUrl(Buffer.from('<svg/>'))), 48_169]
  ] as const) {
    const body = bodyOf(part, 'uncounted')
    const data = part.image_url.url.startsWith('data:') ? part.image_url.url.length : 0
    // The bytes of the rest, a few for the message and each of its parts, and those of the template.
    const bound = (JSON.stringify(body).length - data + 16 + 16 + tokens) * inputNanos + 10 * outputNanos
    const seeded = await gateway.seedKey({ key: { monthlyBudgetNanos: bound } })
    assert.equal(await outcomeOf(await ask(seeded, body)), '200')
    const poorer = await gateway.seedKey({ key: { monthlyBudgetNanos: bound - 1 } })
    assert.equal(await outcomeOf(await ask(poorer, body)), '402 key_budget_exceeded')
  }
})

t.test('a model accepts only media with a rule in the catalog', async () => {
  const seeded = await gateway.seedKey()
  for (const [part, model, reason] of [
    [imageOf(dataUrl(png(1, 1))), 'blind', /This model takes no images/],
    // A file in place of an image. Some providers would read it as a file.
    [imageOf('data:application/pdf;base64,JVBERi0='), 'gpt-4o-mini', /inline image must be of a type image/],
    [imageOf('DATA:text/html,x'), 'gpt-4o-mini', /inline image must be of a type image/],
    [audioOf(wav(1)), 'gpt-4o-mini', /This model takes no audio/],
    [audioOf(Buffer.from('fLaC, and hours of silence')), 'hearing', /MP3 or uncompressed WAV/],
    [{ type: 'input_audio', input_audio: { data: 'x' } }, 'hearing', /MP3 or uncompressed WAV/],
    [{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }, 'gpt-4o-mini', /no files/],
    [{ type: 'text', text: 'x', file: { file_id: 'x' } }, 'gpt-4o-mini', /no files/],
    // The type of the part does not matter.
    [
      { type: 'text', text: 'x', image_url: { url: 'https://example.com/a.png' } },
      'blind',
      /This model takes no images/
    ],
    [{ type: 'text', text: 'x', input_audio: { data: '' } }, 'gpt-4o-mini', /This model takes no audio/]
  ] as const) {
    const response = await ask(seeded, bodyOf(part, model))
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.equal(`${response.status} ${error.code}`, '400 unpriced_parameter')
    assert.match(error.message, reason)
  }
  assert.equal(server.requests().length, 0)
  assert.equal(await outcomeOf(await ask(seeded, bodyOf(audioOf(wav(1)), 'hearing'))), '200')
})

t.test('recordings at once cost no more than the budget, however few bytes a second takes', async () => {
  for (const recording of [wav(10), mp3(10), wav(10, { codec: 7, bits: 8 })]) {
    server.clear()
    const monthlyBudgetNanos = 1000 * inputNanos
    const seeded = await gateway.seedKey({ key: { monthlyBudgetNanos } })
    const answers = Array.from({ length: 20 }, () => ask(seeded, bodyOf(audioOf(recording), 'hearing')))
    const outcomes = await Promise.all(answers.map(async (answer) => outcomeOf(await answer)))
    assert.ok(outcomes.includes('200') && outcomes.includes('402 key_budget_exceeded'), outcomes.join())
    assert.ok(producedNanos() <= monthlyBudgetNanos, `${producedNanos()}`)
  }
})

t.test('images of any size, format and detail never cost more than their hold', async () => {
  const seeded = await gateway.seedKey()
  const side = (seed: number) => 1 + ((seed * 7919) % 9000)
  const bodies = Array.from({ length: 60 }, (_, index) => {
    const [width, height] = [side(index + 1), side(index * index + 60)]
    const image = [png(width, height), jpegOf(jpegFrame(width, height)), webpOf(vp8(width, height))][index % 3]!
    const detail = ['low', 'high', 'auto'][index % 4]
    const part = imageOf(dataUrl(image), detail === undefined ? {} : { detail })
    return bodyOf(part, index % 2 === 0 ? 'gpt-4o-mini' : 'uncounted')
  })
  for (const body of bodies) assert.equal(await outcomeOf(await ask(seeded, body)), '200')
  await gateway.settled()
  assert.equal(await gateway.aboveBound(), 0)
})

t.test('an image in a repeated or misspelled member is refused', async () => {
  const seeded = await gateway.seedKey()
  const image = '{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}'
  for (const messages of [
    `[{"role":"user","content":[${image}],"content":"x"}]`,
    `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x.com/a.png","url":"data:image/png;base64,AAAA"}}]}]`,
    `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x.com/a.png","detail":"high","detail":"low"}}]}]`,
    `[{"role":"user","content":[{"type":"\\u0069mage_url","type":"text","text":"x"}]}]`,
    `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x.com/a.png","detail":"low","Detail":"high"}}]}]`,
    `[{"role":"user","content":${image}}]`,
    `[{"role":"user","content":[${Array(4097).fill(image).join()}]}]`
  ]) {
    const body = `{"model":"gpt-4o-mini","max_tokens":10,"messages":${messages}}`
    assert.equal(await outcomeOf(await ask(seeded, body)), '400 invalid_request', messages)
  }
  assert.equal(server.requests().length, 0)
  const text = { model: 'gpt-4o-mini', max_tokens: 10, messages: [{ role: 'user', content: '"image_url": é\u0001' }] }
  assert.equal(await outcomeOf(await ask(seeded, text)), '200', 'a text may contain anything')
})
