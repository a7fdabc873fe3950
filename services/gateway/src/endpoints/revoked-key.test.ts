import assert from 'node:assert/strict'
import t from 'tap'
import { chatOf } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { type SeededKey, startGateway, type TestGateway } from '../testing/start-gateway.ts'

/** Calls at the same time: each may refresh what the others are judged by. */
const atOnce = 8

const changes: Record<string, [(gateway: TestGateway, key: SeededKey) => Promise<void>, number]> = {
  'a revoked key': [(gateway, key) => gateway.changeKey(key, { status: 'revoked' }), 401],
  'a paused key': [(gateway, key) => gateway.changeKey(key, { status: 'paused' }), 403],
  'a key of a suspended account': [(gateway, key) => gateway.changeAccount(key, { status: 'suspended' }), 403]
}

function bodyOf(path: string): object {
  if (path.includes('/embeddings')) return { model: 'embedder', input: 'Hello' }
  if (path.includes('/responses')) return { model: 'small', input: 'Hello' }
  if (path.endsWith('/v1/completions')) return { model: 'writer', prompt: 'Hello' }
  return chatOf('small', { max_tokens: 9 })
}

t.test('no call of any route is accepted after a change of the key, however many come at once', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, {
    idempotencyMemoryMb: 8,
    upstreamsFile: `upstreams: { test: { base_url: '${upstream.url}/v1', speaks: [chat, responses, messages] } }`
  })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const routes: Array<{ method: string; path: string }> = []
  for (const route of gateway.routes) {
    const [method = '', path = ''] = route.replace(/:\w+|\*/g, 'small').split(' ')
    const withoutKey = await fetch(gateway.url + path, { method })
    await withoutKey.text()
    if (withoutKey.status === 401) routes.push({ method, path })
  }
  assert.ok(routes.length > 8, JSON.stringify(routes))
  for (const [what, [change, refusal]] of Object.entries(changes)) {
    for (const { method, path } of routes) {
      const key = await gateway.seedKey()
      const call = async () => {
        const answer = await fetch(gateway.url + path, {
          method,
          headers: {
            authorization: `Bearer ${key.secret}`,
            'content-type': 'application/json',
            'idempotency-key': 'once',
            ...(path.includes('/messages') && { 'anthropic-version': '2023-06-01' })
          },
          ...(method === 'POST' && { body: JSON.stringify(bodyOf(path)) })
        })
        return { status: answer.status, text: await answer.text() }
      }
      const first = await call() // the gateway remembers the key
      assert.notEqual(first.status, refusal, `${method} ${path}: ${first.text}`)
      const asked = upstream.received.length
      await change(gateway, key)
      const answers = await Promise.all(Array.from({ length: atOnce }, call))
      // A model that a route does not have is refused before the key.
      const others = answers.map(({ status }) => status).filter((status) => status !== refusal && status !== 400)
      assert.deepEqual(others, [], `${what}: ${method} ${path}`)
      assert.equal(upstream.received.length, asked, `${what}: ${method} ${path}`)
    }
  }
})
