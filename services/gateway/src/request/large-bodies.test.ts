import assert from 'node:assert/strict'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { dataUrl, png } from '../testing/media.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

let upstream: FakeUpstream
let gateway: TestGateway
let seeded: SeededKey
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url)
  seeded = await gateway.seedKey()
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const ask = (path: string, body: unknown) => post(gateway, seeded.secret, path, body)
const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index))

t.test('large requests pass, byte for byte', async () => {
  const picture = dataUrl(Buffer.concat([png(800, 600), Buffer.alloc(1_500_000, 7)]))
  const image = { type: 'image_url', image_url: { url: picture, detail: 'high' } }
  const schema = (index: number) => ({
    type: 'object',
    properties: Object.fromEntries(
      times(150, (at) => [`p${index}_${at}`, { type: 'string', description: 'What it is' }])
    )
  })
  for (const [path, body] of [
    [
      '/chat/completions',
      chatOf('small', { max_tokens: 7, messages: [{ role: 'user', content: [image, image, image] }] })
    ],
    ['/embeddings', { model: 'embedder', input: times(200, () => times(146, (at) => at * 683)) }],
    [
      '/chat/completions',
      chatOf('small', {
        max_tokens: 7,
        tools: times(32, (index) => ({ type: 'function', function: { name: `f${index}`, parameters: schema(index) } }))
      })
    ],
    [
      '/chat/completions',
      chatOf('small', {
        max_tokens: 7,
        messages: times(2000, (index) => ({ role: 'user', content: `é "${index}"\n`.repeat(9) }))
      })
    ]
  ] as const) {
    const text = JSON.stringify(body)
    assert.equal(await outcomeOf(await ask(path, text)), '200', `${text.length} characters`)
    assert.ok(upstream.received.at(-1)!.body === text)
  }
})

t.test('a body beyond a limit is refused with the name of the limit', async () => {
  const withMore = (json: string) => `{"model":"small","messages":[{"role":"user","content":"x"}],"more":${json}}`
  const before = upstream.received.length
  for (const [body, limit] of [
    [withMore(`[${'0,'.repeat(400_001)}0]`), 'has more than 400,000 values'],
    [withMore(`${'['.repeat(128)}${']'.repeat(128)}`), 'is nested deeper than 128 levels'],
    [withMore(`{${times(10_001, (index) => `"n${index}":0`).join()}}`), 'has more than 10,000 names in one object'],
    [withMore(`[${times(50_001, () => '{"a":0,"b":0}').join()}]`), 'has more than 100,000 member names'],
    [withMore(`0,${times(1000, (index) => `"n${index}":0`).join()}`), 'has more than 1,000 members'],
    [withMore(`{"${'n'.repeat(5000)}":0}`), 'has a member name longer than 4096 bytes'],
    [withMore('1'.repeat(1001)), 'has a number of more than 1,000 characters']
  ] as const) {
    const response = await ask('/chat/completions', body)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.deepEqual(
      [response.status, error.code, error.message],
      [400, 'invalid_request', `The request body ${limit}. Reduce it.`]
    )
  }
  assert.equal(upstream.received.length, before)
})

t.test('concurrent large bodies are read in rotation, each unchanged', async () => {
  const outcomes = await Promise.all(
    times(6, async (index) => {
      const isWhole = index % 2 === 0
      const text = JSON.stringify(
        chatOf('small', { max_tokens: 7, messages: times(3000, () => ({ role: 'user', content: `${index}` })) })
      )
      return outcomeOf(await ask('/chat/completions', isWhole ? text : text.slice(0, -1)))
    })
  )
  assert.deepEqual(
    outcomes,
    times(6, (index) => (index % 2 === 0 ? '200' : '400 invalid_json'))
  )
})
