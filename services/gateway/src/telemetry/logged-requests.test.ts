import assert from 'node:assert/strict'
import t, { type Test } from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { collectLogLines } from '../testing/log-lines.ts'
import { type GatewayOptions, startGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

async function start(t: Test, options: GatewayOptions = {}) {
  const lines = collectLogLines()
  const upstream: FakeUpstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, { ...options, log: lines.log })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const key: SeededKey = await gateway.seedKey()
  async function chat(headers: Record<string, string> = {}, members: object = {}, options: RequestInit = {}) {
    const authorization = `Bearer ${key.secret}`
    const all = { 'content-type': 'application/json', authorization, ...headers }
    const response = await post(gateway, null, '/chat/completions', chatOf('small', members), {
      headers: all,
      ...options
    })
    await response.text()
    return { response, line: await lines.of(response.headers.get('x-request-id')) }
  }
  return { lines, upstream, gateway, key, chat }
}

t.test('the line of a call says who asked from where, what, and how the upstream answered', async (t) => {
  const { upstream, chat, key } = await start(t)
  const { response, line } = await chat({ 'x-request-id': 'their-id', 'x-forwarded-for': '203.0.113.9' })
  const [called] = upstream.received.filter(({ request }) => request.method === 'POST')
  const members = { clientAddress: '127.0.0.1', endpoint: '/v1/chat/completions', clientRequestId: 'their-id' }
  const served = { status: 200, upstream: 'test', upstreamStatus: 200, key: key.id, account: key.account }
  assert.partialDeepStrictEqual(line, { ...members, ...served })
  assert.match(response.headers.get('x-request-id')!, /^req_/, 'our id is the answer’s')
  assert.equal(called!.request.headers['x-request-id'], line.reqId, 'and the upstream’s')

  upstream.answer(({ response }) => response.writeHead(401).end())
  const refused = await chat()
  assert.partialDeepStrictEqual(refused.line, {
    status: 502,
    upstreamStatus: 401,
    code: 'upstream_rejected_credentials'
  })
  upstream.answer(({ response }) => response.destroy())
  assert.partialDeepStrictEqual((await chat()).line, { upstreamStatus: null, upstream: 'test' })
})

t.test('behind a trusted proxy, the address is the client’s', async (t) => {
  const { chat, gateway, lines } = await start(t, { protection: { trustProxy: ['127.0.0.1'] } })
  const forwarded = { 'x-forwarded-for': 'invented, 203.0.113.9' }
  assert.equal((await chat(forwarded)).line.clientAddress, '203.0.113.9')
  const refused = await fetch(`${gateway.url}/v1/models`, { headers: forwarded })
  const line = await lines.of(refused.headers.get('x-request-id'))
  assert.partialDeepStrictEqual(line, { clientAddress: '203.0.113.9', endpoint: '/v1/models', status: 401 })
})

t.test('a client that left has its address in the log', async (t) => {
  const { chat, upstream, gateway, lines } = await start(t)
  const leaving = new AbortController()
  let id = ''
  upstream.answer(({ request }) => {
    id = String(request.headers['x-request-id'])
    leaving.abort()
  })
  await assert.rejects(chat({}, { stream: true }, { signal: leaving.signal }))
  assert.partialDeepStrictEqual(await lines.of(id), { status: 499, clientAddress: '127.0.0.1', upstreamStatus: null })
  await gateway.settled()
})

t.test('LOG_REQUESTS=0 logs failures only', async (t) => {
  const { gateway, key, lines, upstream } = await start(t, { logRequests: 0 })
  const ok = [await post(gateway, key.secret, '/chat/completions', chatOf('small'))]
  ok.push(await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key.secret}` } }))
  const failed = [await post(gateway, key.secret, '/chat/completions', chatOf('unknown'))]
  upstream.answer(({ response }) => response.writeHead(401).end())
  failed.push(await post(gateway, key.secret, '/chat/completions', chatOf('small')))
  for (const response of failed) await lines.of(response.headers.get('x-request-id'))
  await gateway.settled()
  assert.deepEqual(
    ok.map(({ status }) => status),
    [200, 200]
  )
  assert.equal(lines.count, 2)
})
