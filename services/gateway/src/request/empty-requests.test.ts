import assert from 'node:assert/strict'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url)
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const completionOf = (members: object) => ({ model: 'writer', prompt: 'x', ...members })
const refused: Array<[path: string, member: string, bodies: object[]]> = [
  ['/chat/completions', 'max_tokens', [0, -1, 0.5, '5'].map((max_tokens) => chatOf('small', { max_tokens }))],
  [
    '/chat/completions',
    'max_completion_tokens',
    [0, -1, 1.5].map((max_completion_tokens) => chatOf('small', { max_completion_tokens }))
  ],
  ['/chat/completions', 'max_tokens', [chatOf('small', { max_tokens: 0, max_completion_tokens: 5 })]],
  ['/chat/completions', 'n', [0, -1, 1.5, 129].map((n) => chatOf('small', { n }))],
  ['/chat/completions', 'messages', [chatOf('small', { messages: [] })]],
  ['/completions', 'max_tokens', [0, -1, 0.5].map((max_tokens) => completionOf({ max_tokens }))],
  ['/completions', 'n', [0, -1, 1.5].map((n) => completionOf({ n }))],
  ['/completions', 'best_of', [0, -1, 1.5].map((best_of) => completionOf({ best_of }))],
  ['/completions', 'prompt', [[], [[]], [[1], []], [['x']], [1, 'x']].map((prompt) => completionOf({ prompt }))],
  ['/embeddings', 'input', [[], [[]], [[1], []], [-1], [0.5]].map((input) => ({ model: 'embedder', input }))]
]

for (const [path, member, bodies] of refused) {
  t.test(`${path} refuses ${bodies.length} invalid forms of ${member} by name`, async () => {
    const { secret } = await gateway.seedKey()
    const before = upstream.received.length
    for (const body of bodies) {
      const response = await post(gateway, secret, path, body)
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      assert.equal(`${response.status} ${error.code}`, '400 invalid_request', JSON.stringify(body))
      assert.match(error.message, new RegExp(`^${member}(\\[\\d\\])*: must be `))
    }
    assert.equal(upstream.received.length, before)
  })
}

t.test('requests with the smallest limits, or none, are served', async () => {
  const { secret } = await gateway.seedKey()
  for (const members of [{ max_tokens: 1 }, { max_tokens: null, n: null }, { max_completion_tokens: 1, n: 1 }]) {
    assert.equal((await post(gateway, secret, '/chat/completions', chatOf('small', members))).status, 200)
  }
  for (const prompt of ['', ['x'], [1], [[1]], null]) {
    assert.equal((await post(gateway, secret, '/completions', completionOf({ prompt }))).status, 200)
  }
})
