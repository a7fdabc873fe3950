import assert from 'node:assert/strict'
import { once } from 'node:events'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { need } from '@tollgate/sandbox/need.ts'
import t from 'tap'
import { chatOf, outcomeOf, rawConnection, post as send } from '../../testing/client.ts'
import { type FakeUpstream, plainAnswer, startFakeUpstream } from '../../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../../testing/start-gateway.ts'

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, { timeouts: '{ first_byte: 3000, between_chunks: 3000 }' })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const chatBody = (model = 'small') => JSON.stringify(chatOf(model))
const streamBody = JSON.stringify(chatOf('small', { stream: true }))

const post = (secret: string | null, body: string, options?: RequestInit) =>
  send(gateway, secret, '/chat/completions', body, options)

t.test('a request and its answer pass through unchanged, with the gateway’s own credential', async () => {
  const { secret } = await gateway.seedKey()
  const answer = ' {"object":"chat.completion", "odd":  12345678901234567890, "choices" : [ {} ] }\n'
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.setHeader('set-cookie', 'upstream=1')
    response.end(answer)
  })
  const body =
    ' {"messages":[{"role":"user","content":"é\\u0000 \\" ]}"}],"seed":9007199254740993123,"max_tokens": 7,\n"metadata":{"a":[1.50,{}]},"model":"small"}'
  const response = await post(secret, body)
  assert.equal(response.status, 200)
  assert.equal(await response.text(), answer)
  assert.match(response.headers.get('x-request-id')!, /^req_/)
  assert.equal(response.headers.get('set-cookie'), null, 'other headers of the upstream do not pass')
  const { request, body: arrived } = upstream.received.at(-1)!
  assert.equal(arrived, body)
  assert.equal(request.url, '/v1/chat/completions')
  assert.equal(request.headers.authorization, 'Bearer upstream-credential')
  assert.equal(request.headers['x-request-id'], response.headers.get('x-request-id'))
})

t.test('a request gets the upstream’s name of the model, and nothing else changes', async () => {
  const { secret } = await gateway.seedKey()
  const response = await post(
    secret,
    '{"seed":12345678901234567890,"max_tokens":7, "mo\\u0064el" : "renamed" ,"messages":[{"role":"user","content":"\\"model\\":"}]}'
  )
  assert.equal(response.status, 200)
  assert.equal(
    upstream.received.at(-1)!.body,
    '{"seed":12345678901234567890,"max_tokens":7, "mo\\u0064el" : "name-at-the-upstream" ,"messages":[{"role":"user","content":"\\"model\\":"}]}'
  )
})

t.test('a malformed body is refused and never forwarded', async () => {
  const { secret } = await gateway.seedKey()
  const before = upstream.received.length
  const messages = '"messages":[{"role":"user","content":"x"}]'
  for (const [body, expected] of [
    ['', '400 invalid_json'],
    ['{', '400 invalid_json'],
    [`{"model":"small",${messages}} x`, '400 invalid_json'],
    ['null', '400 invalid_request'],
    ['[]', '400 invalid_request'],
    [`{${messages}}`, '400 invalid_request'],
    [`{"model":7,${messages}}`, '400 invalid_request'],
    ['{"model":"small"}', '400 invalid_request'],
    ['{"model":"small","messages":[]}', '400 invalid_request'],
    [`{"model":"small","stream":"yes",${messages}}`, '400 invalid_request'],
    [`{"model":"small","model":"large",${messages}}`, '400 invalid_request'],
    [`{"mode\\u006c":"large","model":"small",${messages}}`, '400 invalid_request'],
    // Servers written in Go read these as `model` and `stream`.
    [`{"model":"small","Model":"large",${messages}}`, '400 invalid_request'],
    [`{"model":"small","\u017ftream":true,${messages}}`, '400 invalid_request']
  ] as const) {
    assert.equal(await outcomeOf(await post(secret, body)), expected, body)
  }
  assert.equal(
    await outcomeOf(
      await post(secret, chatBody(), { headers: { authorization: `Bearer ${secret}`, 'content-type': 'text/plain' } })
    ),
    '415 unsupported_media_type'
  )
  assert.equal(
    await outcomeOf(await post(secret, `{"model":"${'x'.repeat(21 * 1024 * 1024)}"}`)),
    '413 request_too_large'
  )
  assert.equal(upstream.received.length, before)
})

t.test('a body of millions of values or levels is refused', async () => {
  const { secret } = await gateway.seedKey()
  for (const messages of [`[${'{},'.repeat(2_000_000)}{}]`, `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`]) {
    assert.equal(await outcomeOf(await post(secret, `{"model":"small","messages":${messages}}`)), '400 invalid_request')
  }
  const long = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'x\\"'.repeat(1_000_000) }] })
  assert.equal((await post(secret, long)).status, 200, 'while a long text passes')
})

t.test('every failure has the error shape and a request id, whatever the request was', async () => {
  const { secret } = await gateway.seedKey()
  const raw = async (text: string): Promise<string> => {
    const socket = rawConnection(gateway)
    socket.write(text)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n`
  for (const [request, status, code] of [
    [`${head}connection: close\r\n\r\n`, 400, 'invalid_json'],
    ['GET /v1/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 404, 'unknown_endpoint'],
    ['nonsense\r\n\r\n', 400, 'invalid_request'],
    [`${head}x: ${'x'.repeat(40_000)}\r\n\r\n`, 413, 'request_too_large'],
    [`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400, 'invalid_request'],
    [`${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400, 'invalid_request']
  ] as const) {
    const answer = await raw(request)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), request.slice(0, 60))
    assert.match(answer, /x-request-id: req_/)
    assert.match(answer, new RegExp(`{"error":{"message":".*","type":".*","code":"${code}"}}$`))
  }
})

t.test('a request without a valid key gets the error of the table', async () => {
  const { secret } = await gateway.seedKey()
  const mistyped = secret.slice(0, -1) + (secret.endsWith('x') ? 'y' : 'x')
  assert.equal(await outcomeOf(await post(null, chatBody())), '401 missing_api_key')
  assert.equal(await outcomeOf(await post(mistyped, chatBody())), '401 invalid_api_key')
  assert.equal(await outcomeOf(await post(generateSecret('inference'), chatBody())), '401 invalid_api_key')
  assert.equal(await outcomeOf(await fetch(`${gateway.url}/v1/nothing`, { method: 'POST' })), '404 unknown_endpoint')
})

t.test('a model outside the plan and a model that does not exist get the same answer', async () => {
  const { secret } = await gateway.seedKey({ account: { plan: 'free' } })
  const [outside, missing, inherited] = await Promise.all(
    ['large', 'none', 'constructor'].map(async (model) => {
      const response = await post(secret, chatBody(model))
      return { status: response.status, body: await response.text() }
    })
  )
  assert.equal(outside!.status, 403)
  assert.match(outside!.body, /"code":"model_not_allowed"/)
  assert.deepEqual(missing, outside)
  assert.deepEqual(inherited, outside)
})

t.test('changes to a key and its account are in force from the next request on', async () => {
  const seeded = await gateway.seedKey()
  const ask = async (model = 'small') => {
    const response = await post(seeded.secret, chatBody(model))
    return response.ok ? '200' : outcomeOf(response)
  }
  assert.equal(await ask('large'), '403 model_not_allowed')
  await gateway.changeAccount(seeded, { plan: 'pro', status: 'active' })
  assert.equal(await ask('large'), '200')
  await gateway.changeKey(seeded, { models: ['small'] })
  assert.equal(await ask('large'), '403 model_not_allowed')
  assert.equal(await ask('small'), '200')
  await gateway.changeAccount(seeded, { plan: 'pro', status: 'suspended' })
  assert.equal(await ask(), '403 account_suspended')
  await gateway.changeAccount(seeded, { plan: 'pro', status: 'suspended', isOwnerInTeam: true })
  for (const response of [
    await post(seeded.secret, chatBody('small')),
    await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${seeded.secret}` } })
  ]) {
    assert.equal(response.status, 403)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.equal(error.code, 'account_suspended')
    assert.match(error.message, /paused while its owner is in a team/)
  }
  await gateway.changeAccount(seeded, { plan: 'pro', status: 'active' })
  assert.equal(await ask(), '200')
  await gateway.changeKey(seeded, { expiresAt: Date.now() + 60_000 })
  assert.equal(await ask(), '200')
  await gateway.changeKey(seeded, { expiresAt: Date.now() - 1 })
  assert.equal(await ask(), '401 expired_api_key')
  await gateway.changeKey(seeded, {
    expiresAt: null,
    digest: 'f'.repeat(64),
    previous: { digest: seeded.digest, until: Date.now() + 60_000 }
  })
  assert.equal(await ask(), '200')
  await gateway.changeKey(seeded, { previous: { digest: seeded.digest, until: Date.now() - 1 } })
  assert.equal(await ask(), '401 revoked_api_key')
  await gateway.changeKey(seeded, { previous: null })
  assert.equal(await ask(), '401 revoked_api_key')
  await gateway.changeKey(seeded, { digest: seeded.digest })
  assert.equal(await ask(), '200')
  await gateway.changeKey(seeded, { status: 'revoked' })
  assert.equal(await ask(), '401 revoked_api_key')
})

t.test('the upstream’s refusals reach the client; its internal errors do not', async () => {
  const { secret } = await gateway.seedKey()
  const answering = async (status: number, body: string, headers: Record<string, string> = {}) => {
    upstream.answer(({ response }) => response.writeHead(status, headers).end(body))
    return post(secret, chatBody())
  }
  const refusal =
    '{"error":{"message":"too long","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}'
  const passed = await answering(400, refusal)
  assert.equal(passed.status, 400)
  assert.deepEqual(await passed.json(), JSON.parse(refusal))
  const shaped = await answering(422, '{"detail":"no such field"}')
  assert.equal(shaped.status, 422)
  const { error } = (await shaped.json()) as { error: Record<string, unknown> }
  assert.deepEqual([error.message, typeof error.type, typeof error.code], ['no such field', 'string', 'string'])
  assert.equal(await outcomeOf(await answering(404, '<html>')), '404 invalid_request')
  assert.equal(await outcomeOf(await answering(401, refusal)), '502 upstream_rejected_credentials')
  assert.equal(await outcomeOf(await answering(403, refusal)), '502 upstream_rejected_credentials')
  assert.equal(await outcomeOf(await answering(500, refusal)), '502 upstream_error')
  assert.equal(await outcomeOf(await answering(302, '')), '502 upstream_error')
  assert.equal(await outcomeOf(await answering(504, '')), '504 upstream_timeout')
  const limited = await answering(429, refusal, { 'retry-after': '7' })
  assert.equal(limited.headers.get('retry-after'), '7')
  assert.equal(await outcomeOf(limited), '503 upstream_rate_limited')
})

t.test('an upstream that breaks off or times out causes a clear error', async () => {
  const { secret } = await gateway.seedKey()
  upstream.answer(({ response }) => response.destroy())
  assert.equal(await outcomeOf(await post(secret, chatBody())), '502 upstream_error')
  upstream.answer(() => {})
  assert.equal(await outcomeOf(await post(secret, chatBody())), '504 upstream_timeout')
  upstream.answer(({ response }) => {
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write('data: {"choices":[]}\n\n', () => response.destroy())
  })
  const broken = await post(secret, streamBody)
  assert.equal(broken.status, 200)
  const events = (await broken.text()).split('\n\n')
  assert.equal(events[0], 'data: {"choices":[]}')
  assert.match(events[1]!, /data: {"error":.*"upstream_error"/)
  assert.doesNotMatch(events.join(), /\[DONE\]/)
})

t.test('an answer never runs into the next one, and an error event is never part of a broken event', async () => {
  const { secret } = await gateway.seedKey()
  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'Text/Event-Stream', 'content-length': '400' })
    response.write('data: {}\n\ndata: {"half', () => response.destroy())
  })
  const broken = await post(secret, streamBody)
  assert.equal(broken.headers.get('content-length'), null)
  assert.match(await broken.text(), /^data: {}\n\ndata: {"error":.*"upstream_error".*}\n\n$/)
  upstream.answer(({ response }) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    const write = () => {
      while (response.write('x'.repeat(64 * 1024)) && !response.destroyed);
      response.once('drain', write)
    }
    write()
  })
  assert.equal(await outcomeOf(await post(secret, chatBody())), '400 invalid_request', 'an endless refusal is cut off')
})

t.test('when a client leaves, the upstream call ends', async () => {
  const { secret } = await gateway.seedKey()
  const upstreamClosed = new Promise<void>((resolve) => {
    upstream.answer(({ request, response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
      request.socket.once('close', () => resolve())
    })
  })
  const leaving = new AbortController()
  const response = await post(secret, streamBody, { signal: leaving.signal })
  await response.body!.getReader().read()
  leaving.abort()
  await upstreamClosed
})

t.test('a stalled reader pauses the upstream, so the gateway holds no more of the answer', async () => {
  const { secret } = await gateway.seedKey()
  const chunk = Buffer.alloc(64 * 1024, `data: ${'x'.repeat(1016)}\n\n`)
  const total = 40 * 1024 * 1024
  const done = 'data: [DONE]\n\n'
  let sent = 0
  const stalled = Promise.withResolvers<void>()
  upstream.answer(async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    while (sent < total) {
      sent += chunk.length
      if (response.write(chunk)) continue
      // If the upstream cannot write for a while, every buffer on the way is full.
      const timer = setTimeout(() => stalled.resolve(), 500)
      await once(response, 'drain')
      clearTimeout(timer)
    }
    response.end(done)
  })
  const response = await post(secret, streamBody)
  await stalled.promise
  assert.ok(
    sent < 30 * 1024 * 1024,
    `the upstream could send ${Math.round(sent / 1024 / 1024)} of 40 MB before it was held back`
  )
  let read = 0
  for await (const part of response.body!) read += part.length
  assert.equal(read, total + done.length, 'and everything arrives once the reader reads')
  upstream.answer(({ response }) => void response.end(plainAnswer))
})

t.test('requests are refused until control has verified Redis', async () => {
  const seeded = await gateway.seedKey()
  const other = await gateway.seedKey()
  assert.equal((await post(seeded.secret, chatBody())).status, 200)
  await gateway.control.client.flushall()
  for (const { secret } of [seeded, other]) {
    const response = await post(secret, chatBody())
    assert.equal(response.headers.get('retry-after'), '2')
    assert.equal(await outcomeOf(response), '503 state_unavailable')
  }
  await gateway.verifyRedis()
  assert.equal(
    await outcomeOf(await post(other.secret, chatBody())),
    '401 invalid_api_key',
    'the new catalog and markers are in force'
  )
})

t.test('while Redis does not answer, requests get only 503', async (t) => {
  if (!need(t, 'redis-server', gateway.redis.pid)) return
  const seeded = await gateway.seedKey()
  assert.equal((await post(seeded.secret, chatBody())).status, 200)
  await gateway.redis.kill('SIGSTOP')
  assert.equal(await outcomeOf(await post(seeded.secret, chatBody())), '503 state_unavailable')
  assert.equal(await outcomeOf(await post(seeded.secret, chatBody())), '503 state_unavailable')
  await gateway.redis.kill('SIGCONT')
  await gateway.state.ready()
  assert.equal((await post(seeded.secret, chatBody())).status, 200)
})

t.test('when a client leaves, all its requests end, also one that waits for an earlier answer', async () => {
  const { secret } = await gateway.seedKey()
  let asked = 0
  const bothAsked = Promise.withResolvers<void>()
  const ended: Array<Promise<unknown>> = []
  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    ended.push(once(response, 'close'))
    // More than all buffers on the way hold: a call that waits for its client stays paused.
    const more = setInterval(() => response.write(`data: ${'x'.repeat(60_000)}\n\n`), 1)
    response.once('close', () => clearInterval(more))
    if (++asked === 2) bothAsked.resolve()
  })
  const socket = rawConnection(gateway)
  const body = '{"model":"small","stream":true,"messages":[{"role":"user","content":"x"}]}'
  const head = `host: x\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  const request = `POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n\r\n${body}`
  socket.write(request + request)
  await bothAsked.promise
  socket.destroy()
  await Promise.all(ended)
  assert.equal(ended.length, 2)
})
