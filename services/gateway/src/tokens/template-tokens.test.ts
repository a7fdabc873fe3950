import assert from 'node:assert/strict'
import { addedTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import fc from 'fast-check'
import t from 'tap'
import { post } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { postMessage } from '../testing/message-answers.ts'
import { catalogOf, startGateway } from '../testing/start-gateway.ts'
import { chatPromptBound } from './prompt-bound.ts'

interface Message {
  role: 'user' | 'assistant'
  content: string
}

/**
 * What the model of a chat reads: OpenAI's harmony format, as the template of gpt-oss renders it. Each marker is one
 * token.
 */
function harmonyTokens(instructions: string | null, messages: readonly Message[]): number {
  const system =
    'You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\nCurrent date: 2026-11-29\n\n' +
    'Reasoning: medium\n\n# Valid channels: analysis, commentary, final. Channel must be included for every message.'
  const [start, message, end] = [1, 1, 1]
  const ofRole = (header: string, text: string) => start + countTokens(header) + message + countTokens(text) + end
  let tokens = ofRole('system', system)
  if (instructions !== null) tokens += ofRole('developer', `# Instructions\n\n${instructions}\n\n`)
  // An answer also names its channel, with a marker.
  for (const { role, content } of messages) tokens += ofRole(role, content) + (role === 'assistant' ? 2 : 0)
  return tokens + start + countTokens('assistant')
}

t.test('no chat with a shipped gpt-oss model has more tokens than its bound, however short it is', async () => {
  const { models } = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
  const names = Object.keys(models).filter((name) => name.includes('gpt-oss'))
  assert.equal(names.length, 3)
  const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string({ maxLength: 8 }) })
  const text = fc.option(fc.string({ maxLength: 8 }))
  fc.assert(
    fc.property(fc.constantFrom(...names), text, fc.array(message, { maxLength: 6 }), (name, instructions, said) => {
      const system = instructions === null ? [] : [{ role: 'system', content: instructions }]
      // Clients know the model by a shorter name.
      const bytes = Buffer.from(JSON.stringify({ model: 'm', messages: [...system, ...said] }))
      const body = { bytes, messages: system.length + said.length, parts: 0, media: [] }
      const { promptTokens } = chatPromptBound(body, {}, addedTokens(models[name]!, 'chat'))
      assert.ok(harmonyTokens(instructions, said as Message[]) <= promptTokens)
    })
  )
})

t.test('the tokens of a template are reserved, and a model without numbers has a margin for them', async (t) => {
  const upstream = await startFakeUpstream()
  const [none, own] = [
    { request: 0, message: 0 },
    { request: 300, message: 5 }
  ]
  const catalog = catalogOf({ plain: [{ upstream: 'test' }], m: [{ upstream: 'test' }] })
  delete catalog.models.m!.templateTokens
  catalog.models.plain!.templateTokens = { chat: none, responses: own, messages: none }
  const { inputPicos, outputPicos } = catalog.models.m!.prices
  const speaks = 'speaks: [chat, responses, messages]'
  const upstreamsFile = `upstreams: { test: { base_url: '${upstream.url}/v1', credential_variable: TEST_CREDENTIAL, ${speaks} } }`
  const gateway = await startGateway('', { catalog, upstreamsFile })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const asks = {
    chat: (secret: string, model: string) =>
      post(gateway, secret, '/chat/completions', { model, max_tokens: 16, messages: [{ role: 'user', content: 'a' }] }),
    responses: (secret: string, model: string) =>
      post(gateway, secret, '/responses', { model, max_output_tokens: 16, input: 'a' }),
    messages: (secret: string, model: string) =>
      postMessage(gateway, secret, { model, max_tokens: 16, messages: [{ role: 'user', content: 'a' }] })
  }
  let prompt = 68
  const output = 16
  upstream.answer(({ request, response }) => {
    const usage = { input_tokens: prompt, output_tokens: output }
    response.end(
      JSON.stringify(
        request.url!.includes('/chat/')
          ? { choices: [{}], usage: { prompt_tokens: prompt, completion_tokens: output } }
          : { object: 'response', type: 'message', status: 'completed', output: [], content: [], usage }
      )
    )
  })
  const month = Number(new Date().toISOString().slice(0, 7).replace('-', ''))
  for (const ask of Object.values(asks)) {
    const { secret, account } = await gateway.seedKey()
    assert.equal((await ask(secret, 'm')).status, 200)
    await gateway.settled()
    const settled = Math.ceil((prompt * inputPicos + output * outputPicos) / 1000)
    assert.deepEqual(await readSpend(gateway.control, account, month), { settled, reserved: 0 })
  }
  assert.equal(await gateway.aboveBound(), 0, 'a template of 67 tokens is within the margin')

  for (const [api, added] of [['responses', 305] as const, ['chat', 0] as const]) {
    const body = api === 'chat' ? { messages: [{ role: 'user', content: 'a' }] } : { input: 'a' }
    const limit = api === 'chat' ? { max_tokens: 16 } : { max_output_tokens: 16 }
    const bytes = Buffer.byteLength(JSON.stringify({ model: 'plain', ...limit, ...body }))
    const needed = Math.ceil(((bytes + added) * inputPicos + output * outputPicos) / 1000)
    const fits = await gateway.seedKey({ key: { monthlyBudgetNanos: needed } })
    const lacks = await gateway.seedKey({ key: { monthlyBudgetNanos: needed - 1 } })
    assert.equal((await asks[api](fits.secret, 'plain')).status, 200, api)
    assert.equal((await asks[api](lacks.secret, 'plain')).status, 402, api)
    if (api === 'responses') continue
    // The template of this model is larger than its numbers say.
    prompt = bytes + 30
    const { secret } = await gateway.seedKey()
    await (await asks[api](secret, 'plain')).text()
    await gateway.settled()
    assert.deepEqual([await gateway.aboveBound(), await gateway.nanosAboveBound()], [1, (30 * inputPicos) / 1000])
  }
})
