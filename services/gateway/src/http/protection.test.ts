import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { pointerName } from '@tollgate/state/keyspace/names.ts'
import t from 'tap'
import { chatOf, outcomeOf, post, rawConnection } from '../testing/client.ts'
import { type FakeUpstream, plainAnswer, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

/** How the names begin under which Redis has keys. */
const pointerPrefix = pointerName('0'.repeat(64)).split('{')[0]!

let upstream: FakeUpstream
let gateway: TestGateway
let secret: string
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, {
    protection: {
      failuresPerMinute: 5,
      maxConnections: 8,
      headersTimeoutMs: 300,
      requestTimeoutMs: 600,
      slowReaderMs: 1000,
      trustProxy: ['127.0.0.1']
    }
  })
  secret = (await gateway.seedKey()).secret
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const received = (socket: Socket): Promise<string> => text(socket.setEncoding('utf8'))
const body = JSON.stringify(chatOf('small'))
const streamBody = JSON.stringify(chatOf('small', { stream: true }))
const head = (...lines: string[]) =>
  ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${secret}`, 'content-type: application/json']
    .concat(lines, '', '')
    .join('\r\n')

t.test('a request that two servers could read differently is refused, and ends its connection', async () => {
  const smuggled = 'GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n'
  const chunked = 'transfer-encoding: chunked'
  for (const [name, request] of [
    ['both lengths', `${head('content-length: 5', chunked)}0\r\n\r\n${smuggled}`],
    ['both lengths, the other way', `${head(chunked, 'content-length: 5')}0\r\n\r\n${smuggled}`],
    ['two lengths', `${head('content-length: 4', 'content-length: 5')}{}   ${smuggled}`],
    ['two equal lengths in one', `${head('content-length: 5, 5')}{}   ${smuggled}`],
    ['a length with a sign', `${head('content-length: +5')}{}   ${smuggled}`],
    ['a length with a space in it', `${head('content-length: 5 5')}{}   ${smuggled}`],
    ['an invalid chunk size', `${head(chunked)}x\r\n{}\r\n0\r\n\r\n${smuggled}`],
    ['a chunk size with a prefix', `${head(chunked)}0x2\r\n{}\r\n0\r\n\r\n${smuggled}`],
    ['a chunk longer than its size', `${head(chunked)}1\r\n{}\r\n0\r\n\r\n${smuggled}`],
    ['a chunk size that is too large', `${head(chunked)}${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n${smuggled}`],
    ['another coding', `${head('transfer-encoding: chunked, identity')}0\r\n\r\n${smuggled}`],
    ['an unknown coding', `${head('transfer-encoding: xchunked')}0\r\n\r\n${smuggled}`],
    ['a space before the colon', `${head('content-length : 5')}{}   ${smuggled}`],
    ['a folded header', `${head('x: a\r\n content-length: 5')}{}   ${smuggled}`],
    ['a bare CR in a header', `${head('x: a\rcontent-length: 5')}{}   ${smuggled}`],
    ['no host', `GET /v1/models HTTP/1.1\r\nauthorization: Bearer ${secret}\r\nconnection: close\r\n\r\n`],
    ['a NUL in a header', `${head('x: a\0')}${smuggled}`]
  ] as const) {
    const socket = rawConnection(gateway)
    socket.end(request)
    const answer = await received(socket)
    assert.match(answer, /^HTTP\/1\.1 400 /, name)
    assert.match(answer, /"code":"invalid_/, name)
    assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1, `${name}: no request behind it is served`)
  }
  assert.equal(upstream.received.length, 0)
})

t.test('the error for invalid HTTP never gets into the answer to another request', async () => {
  for (const hasBegun of [true, false]) {
    const arrived = Promise.withResolvers<void>()
    upstream.answer(({ response }) => {
      if (hasBegun) response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n')
      else arrived.resolve()
    })
    const socket = rawConnection(gateway)
    const answer = received(socket)
    const asked = hasBegun ? streamBody : body
    socket.write(head(`content-length: ${asked.length}`) + asked)
    if (hasBegun) await once(socket, 'data')
    else await arrived.promise
    socket.write('nonsense\r\n\r\n')
    assert.doesNotMatch(await answer, /HTTP\/1.1 400/)
  }
})

t.test('a client that sends too slowly is refused in time', async () => {
  const slowHead = rawConnection(gateway)
  slowHead.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n')
  const dribble = setInterval(() => slowHead.write('x: y\r\n'), 50)
  assert.match(await received(slowHead), /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  clearInterval(dribble)
  const slowBody = rawConnection(gateway)
  slowBody.write(`${head('content-length: 1000')}{`)
  assert.match(await received(slowBody), /^HTTP\/1\.1 408 .*did not arrive in time/s)
})

t.test('a client that reads nothing of its answer is disconnected, and the upstream call ends', async () => {
  const closed = Promise.withResolvers<void>()
  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = () => {
      while (!response.destroyed && response.write(`data: ${'x'.repeat(60_000)}\n\n`));
      response.once('drain', write)
    }
    response.once('close', () => closed.resolve())
    write()
  })
  const socket = rawConnection(gateway)
  socket.write(head(`content-length: ${streamBody.length}`) + streamBody)
  await once(socket, 'readable')
  await closed.promise
  const cut = once(socket, 'close')
  socket.on('error', () => {}).resume()
  await cut
})

t.test('a client that reads its answer slowly gets all of it', async () => {
  const length = 20_000_000
  const events = Buffer.alloc(length, `data: ${'x'.repeat(992)}\n\n`)
  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events)
  })
  const socket = rawConnection(gateway)
  socket.write(head(`content-length: ${streamBody.length}`, 'connection: close') + streamBody)
  let bytes = 0
  const startedAt = performance.now()
  for await (const chunk of socket) {
    bytes += chunk.length
    // In total, reading takes longer than a client may pause.
    if (performance.now() - startedAt < 2500) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.ok(bytes > length)
})

t.test('connections beyond the maximum are closed at once, and later there is room again', async () => {
  const sockets = Array.from({ length: 30 }, () => rawConnection(gateway).on('error', () => {}))
  const closed = new Set<Socket>()
  for (const socket of sockets) socket.once('close', () => closed.add(socket)).resume()
  while (closed.size < 22) await new Promise(setImmediate)
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.map((socket) => closed.has(socket) || once(socket, 'close')))
  upstream.answer(({ response }) => void response.end(plainAnswer))
  let outcome = ''
  while (outcome !== '200') outcome = await post(gateway, secret, '/chat/completions', body).then(outcomeOf, () => '')
})

t.test(
  'text that cannot be a key never reaches Redis, and addresses with too many invalid keys are refused before a look-up',
  async (t) => {
    const from = (address: string, key: string | null) =>
      post(gateway, key, '/chat/completions', body, {
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': address,
          ...(key !== null && { authorization: `Bearer ${key}` })
        }
      })
    // Only the real Redis tells its commands.
    const isTold = need(t, 'redis-server', gateway.redis.pid)
    const read: string[] = []
    const monitor = isTold ? await gateway.control.client.monitor() : null
    t.teardown(() => monitor?.disconnect())
    monitor?.on('monitor', (_time, [command, key]: [string, string]) => {
      if (command.toLowerCase() === 'get') read.push(key)
    })
    /** How many keys the gateway looked up. */
    const lookUps = async () => {
      if (monitor === null) return null
      const last = crypto.randomUUID()
      await gateway.control.client.get(last)
      while (!read.includes(last)) await once(monitor, 'monitor')
      return read.filter((name) => name.startsWith(pointerPrefix)).length
    }
    const unseen = (await gateway.seedKey()).secret
    for (const key of ['x y', 'x', `tg_${'x'.repeat(49)}`, 'x'.repeat(8000), secret.slice(0, -1)]) {
      assert.match(await outcomeOf(await from('192.0.2.1', key)), /^401 (missing|invalid)_api_key$/)
    }
    if (isTold) assert.equal(await lookUps(), 0)
    for (const key of ['x', generateSecret('inference'), unseen]) {
      const refused = await from('192.0.2.1', key)
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
      assert.equal(await outcomeOf(refused), '429 too_many_requests')
    }
    assert.equal(await outcomeOf(await from('192.0.2.1', secret)), '200', 'a key that was seen before is served')
    assert.equal(await outcomeOf(await from('192.0.2.2', unseen)), '200', 'other addresses are served')
    if (isTold) assert.equal(await lookUps(), 1, 'after one look-up')
  }
)

t.test('a page of any origin may call with a key, without credentials of the browser', async () => {
  const preflight = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-lang'
    }
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  assert.match(preflight.headers.get('access-control-allow-headers')!, /authorization.*x-stainless-lang/)
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  for (const [key, stream] of [
    [secret, false],
    [secret, true],
    ['nonsense', false]
  ] as const) {
    upstream.answer(({ response }) => {
      response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
      response.setHeader('access-control-allow-origin', 'https://upstream.example')
      response.end(stream ? 'data: [DONE]\n\n' : plainAnswer)
    })
    const answer = await post(gateway, key, '/chat/completions', chatOf('small', { stream }), {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin: 'https://app.example' }
    })
    assert.equal(answer.headers.get('access-control-allow-origin'), '*')
    assert.match(
      answer.headers.get('access-control-expose-headers')!,
      /x-request-id.*retry-after.*x-ratelimit-limit-requests/
    )
    await answer.text()
  }
  const list = await fetch(`${gateway.url}/v1/models`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${secret}` }
  })
  assert.equal(list.status, 200)
  assert.equal(await list.text(), '')
})
