import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { chatOf, outcomeOf, post, rawConnection } from '../testing/client.ts'
import { catalogOfLargeBodies, encoders, postEncoded } from '../testing/compressed-bodies.ts'
import { type FakeUpstream, plainAnswer, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

const megabyte = 1024 * 1024
const bodyMemoryMb = 64

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  // Only a body that a test lets wait is slow, however slow the machine is.
  gateway = await startGateway(upstream.url, {
    bodyMemoryMb,
    catalog: catalogOfLargeBodies,
    protection: { slowBodyMs: 600_000 }
  })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const body = JSON.stringify(chatOf('small'))
const head = (secret: string, ...lines: string[]) =>
  ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${secret}`, 'content-type: application/json']
    .concat(lines, '', '')
    .join('\r\n')
const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn()
}

/** Opens a connection, declares a body of this length, and sends only its first byte. */
function declare(secret: string, bytes: number): Socket {
  const socket = rawConnection(gateway).on('error', () => {})
  socket.write(`${head(secret, `content-length: ${bytes}`)}{`)
  return socket
}

/** Bytes of arrived and expected bodies. */
const expectedBytes = () => gateway.bodyMemory.heldBytes + gateway.bodyMemory.awaitedBytes

/** A valid body of this length. */
const bodyOf = (bytes: number) => body.slice(0, -1) + ' '.repeat(bytes - body.length) + body.slice(-1)

t.test('a key holds no more memory than its plan allows, and others are served meanwhile', async () => {
  const [{ secret }, other] = [await gateway.seedKey(), await gateway.seedKey()]
  const sockets = Array.from({ length: 40 }, () => declare(secret, 20 * megabyte))
  const over = new AbortController()
  let answered = 0
  const first = await Promise.all(
    sockets.map(async (socket) => {
      const [answer] = await once(socket, 'data', { signal: over.signal }).catch(() => [''])
      if (++answered === sockets.length - 1) over.abort()
      return String(answer)
    })
  )
  const refused = first.filter((answer) => answer.includes('"code":"concurrent_request_bytes"'))
  assert.equal(refused.length, 39)
  for (const answer of refused) {
    assert.match(answer, /^HTTP\/1\.1 429 /)
    assert.match(answer, /\r\nretry-after: 1\r\n/)
  }
  for (const socket of sockets) socket.destroy()
  await until(() => expectedBytes() === 0)
  const held = declare(other.secret, 20 * megabyte)
  await until(() => expectedBytes() === 20 * megabyte)
  assert.equal(await outcomeOf(await post(gateway, secret, '/chat/completions', body)), '200')
  assert.equal(
    await outcomeOf(await post(gateway, other.secret, '/chat/completions', body)),
    '200',
    'a small body still fits'
  )
  held.destroy()
  await until(() => expectedBytes() === 0)
})

t.test('all keys together hold no more memory than the process limit', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => gateway.seedKey()))
  const sockets: Socket[] = []
  for (const { secret } of keys.slice(0, 3)) {
    const socket = declare(secret, 20 * megabyte)
    sockets.push(socket)
    await until(() => expectedBytes() === sockets.length * 20 * megabyte)
  }
  assert.equal(
    await outcomeOf(await post(gateway, keys[3]!.secret, '/chat/completions', bodyOf(5 * megabyte))),
    '200',
    'announced bytes that do not arrive take nothing from others'
  )
  await until(() => expectedBytes() === 60 * megabyte)
  for (const socket of sockets) socket.write(Buffer.alloc(17 * megabyte, ' '))
  await until(() => gateway.bodyMemory.heldBytes > 50 * megabyte)
  // An eighth of 64 MiB is for short bodies.
  const refused = await post(gateway, keys[3]!.secret, '/chat/completions', bodyOf(6 * megabyte))
  assert.equal(refused.headers.get('retry-after'), '2')
  assert.equal(await outcomeOf(refused), '503 gateway_busy')
  assert.equal(await outcomeOf(await post(gateway, keys[3]!.secret, '/chat/completions', body)), '200')
  for (const socket of sockets) socket.destroy()
  await until(() => expectedBytes() === 0)
  assert.equal(await outcomeOf(await post(gateway, keys[3]!.secret, '/chat/completions', bodyOf(5 * megabyte))), '200')
})

t.test('a chunked body counts as it arrives, and is refused once it exceeds the remaining memory', async () => {
  const { secret } = await gateway.seedKey()
  const held = declare(secret, 20 * megabyte)
  await until(() => expectedBytes() === 20 * megabyte)
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(Buffer.alloc(megabyte, ' '))
    }
  })
  const refused = await post(gateway, secret, '/chat/completions', '', { body: stream, duplex: 'half' } as RequestInit)
  assert.equal(await outcomeOf(refused), '429 concurrent_request_bytes')
  held.destroy()
  await until(() => expectedBytes() === 0)
})

t.test('a body is held exactly until its answer ends', async () => {
  const { secret } = await gateway.seedKey()
  const asked = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  upstream.answer(async ({ response }) => {
    asked.resolve()
    await go.promise
    response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer)
  })
  const answer = post(gateway, secret, '/chat/completions', bodyOf(megabyte))
  await asked.promise
  assert.equal(gateway.bodyMemory.heldBytes, megabyte)
  go.resolve()
  assert.equal(await outcomeOf(await answer), '200')
  await until(() => expectedBytes() === 0)
  upstream.answer(({ response }) => void response.setHeader('content-type', 'application/json').end(plainAnswer))
  for (const wrong of ['{', '{}', JSON.stringify(chatOf('large')), '[1]']) {
    assert.notEqual((await post(gateway, secret, '/chat/completions', wrong)).status, 200)
    assert.equal(gateway.bodyMemory.heldBytes, 0, wrong)
  }
})

t.test('a newer plan that allows more is read before a request is refused', async () => {
  const seeded = await gateway.seedKey()
  assert.equal(await outcomeOf(await post(gateway, seeded.secret, '/chat/completions', body)), '200')
  const first = declare(seeded.secret, 20 * megabyte)
  await until(() => expectedBytes() === 20 * megabyte)
  await gateway.changeAccount(seeded, { plan: 'pro' })
  assert.equal(await outcomeOf(await post(gateway, seeded.secret, '/chat/completions', bodyOf(5 * megabyte))), '200')
  first.destroy()
  const unseen = await gateway.seedKey({ account: { plan: 'pro' } })
  const [one, two] = [declare(unseen.secret, 20 * megabyte), declare(unseen.secret, 20 * megabyte)]
  await until(() => expectedBytes() === 40 * megabyte)
  one.destroy()
  two.destroy()
  await until(() => expectedBytes() === 0)
})

t.test('a body that stops arriving is refused, and a slow body above the minimum rate is not', async (t) => {
  const slowly = await startGateway(upstream.url, { beside: gateway, protection: { slowBodyMs: 500 } })
  t.after(() => slowly.close())
  const { secret } = await gateway.seedKey()
  const stopped = rawConnection(slowly)
  stopped.write(head(secret, `content-length: ${megabyte}`))
  stopped.write(Buffer.alloc(megabyte - 1, ' '))
  const steady = rawConnection(slowly)
  const slow = bodyOf(2 * megabyte)
  steady.write(head(secret, `content-length: ${slow.length}`, 'connection: close'))
  // Five times the minimum rate, until the other body is refused. The whole rest then arrives at once.
  let at = 0
  const timer = setInterval(() => {
    steady.write(slow.slice(at, at + 6_000))
    at += 6_000
  }, 50)
  assert.match(await text(stopped), /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  clearInterval(timer)
  steady.write(slow.slice(at))
  assert.match(await text(steady), /^HTTP\/1\.1 200 /)
  assert.equal(slowly.bodyMemory.heldBytes, 0)
})

t.test('a compressed body is served like any other, and goes upstream uncompressed', async () => {
  const { secret } = await gateway.seedKey()
  for (const [encoding, encode] of Object.entries(encoders)) {
    upstream.received.length = 0
    const answer = await postEncoded(gateway, secret, encoding.toUpperCase(), encode(body))
    assert.equal(await outcomeOf(answer), '200', encoding)
    const [received] = upstream.received
    assert.equal(JSON.parse(received!.body).messages[0].content, 'Hello')
    assert.equal(received!.request.headers['content-encoding'], undefined)
    assert.equal(await outcomeOf(await postEncoded(gateway, secret, encoding, encode('{'))), '400 invalid_json')
  }
  assert.equal(await outcomeOf(await postEncoded(gateway, secret, 'identity', Buffer.from(body))), '200')
  assert.equal(gateway.bodyMemory.heldBytes, 0)
})

t.test('a body that decompresses beyond the limit is refused', async () => {
  const { secret } = await gateway.seedKey()
  const bomb = gzipSync(Buffer.alloc(21 * megabyte))
  assert.equal(await outcomeOf(await postEncoded(gateway, secret, 'gzip', bomb)), '413 request_too_large')
  assert.equal(gateway.bodyMemory.heldBytes, 0)
})

t.test('a body that cannot be decoded is refused with the reason', async () => {
  const { secret } = await gateway.seedKey()
  for (const [encoding, encode] of Object.entries(encoders)) {
    const encoded = encode(body)
    for (const broken of [
      encoded.subarray(0, -5),
      Buffer.from(body),
      Buffer.alloc(70_000, 7),
      Buffer.concat([encoded, Buffer.from('x')])
    ]) {
      const refused = await postEncoded(gateway, secret, encoding, broken)
      assert.match(await refused.clone().text(), new RegExp(`is not valid ${encoding} data`))
      assert.equal(await outcomeOf(refused), '400 invalid_request', encoding)
    }
  }
  for (const encoding of ['gzip, br', 'compress', 'aws-chunked', 'gzip,gzip', ' ,']) {
    const refused = await postEncoded(gateway, secret, encoding, gzipSync(body))
    assert.equal(refused.headers.get('accept-encoding'), 'gzip, deflate, br, zstd')
    assert.match(await refused.clone().text(), /Send one of gzip, deflate, br, zstd, or none/)
    assert.equal(await outcomeOf(refused), '415 unsupported_media_type', encoding)
  }
  assert.equal(gateway.bodyMemory.heldBytes, 0)
})

t.test('a body of another type is refused with 415', async () => {
  const { secret } = await gateway.seedKey()
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonl',
    'multipart/form-data; boundary=x',
    ''
  ]) {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': type }
    assert.equal(
      await outcomeOf(await post(gateway, secret, '/chat/completions', body, { headers })),
      '415 unsupported_media_type',
      type
    )
  }
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'Application/JSON ; charset=utf-8' }
  assert.equal(await outcomeOf(await post(gateway, secret, '/chat/completions', body, { headers })), '200')
})

t.test('a client that sends too much still gets the answer', async () => {
  const { secret } = await gateway.seedKey()
  const large = 'x'.repeat(21 * megabyte)
  assert.equal(await outcomeOf(await post(gateway, secret, '/chat/completions', large)), '413 request_too_large')
  let left = 22
  const chunks = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(Buffer.alloc(megabyte, ' ')) : controller.close())
  })
  const options = { body: chunks, duplex: 'half' } as RequestInit
  assert.equal(await outcomeOf(await post(gateway, secret, '/chat/completions', '', options)), '413 request_too_large')
  assert.match(await outcomeOf(await post(gateway, null, '/chat/completions', large)), /^401 /)
})

t.test('a client that asks before sending a large body is refused before it sends it', async () => {
  const { secret } = await gateway.seedKey()
  const ask = (length: number) =>
    httpRequest(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'content-length': length,
        expect: '100-continue'
      }
    })
  const refused = ask(21 * megabyte)
  refused.on('continue', () => assert.fail('the gateway asked for a body that is too large')).flushHeaders()
  const [answer] = (await once(refused, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 413)
  refused.destroy()
  const served = ask(body.length)
  served.flushHeaders()
  await once(served, 'continue')
  served.end(body)
  const [fine] = (await once(served, 'response')) as [IncomingMessage]
  assert.equal(fine.statusCode, 200)
  fine.resume()
})

t.test('a connection without a valid key may stay idle for less than 5 s, and may still send one', async (t) => {
  const { secret } = await gateway.seedKey()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (key: string) => {
    const asked = httpRequest(`${gateway.url}/v1/models`, { agent, headers: { authorization: `Bearer ${key}` } }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    await text(answer)
    return { status: answer.statusCode, headers: answer.headers, socket: asked.socket! }
  }
  const refused = await ask('tg_nonsense')
  assert.equal(refused.status, 401)
  assert.equal(refused.headers['keep-alive'], 'timeout=4')
  await turn()
  const served = await ask(secret)
  assert.equal(served.status, 200)
  assert.equal(served.socket, refused.socket, 'the connection is used again')
  agent.destroy()

  const idle = rawConnection(gateway)
  idle.write('GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer tg_nonsense\r\n\r\n')
  await once(idle, 'data')
  const startedAt = performance.now()
  const closed = once(idle.resume(), 'close')
  const good = rawConnection(gateway)
  good.write(`GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n\r\n`)
  await once(good, 'data')
  const cut = rawConnection(gateway)
  cut.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${10 * megabyte}\r\n\r\n{`)
  assert.match(await text(cut), /^HTTP\/1\.1 401 .*connection: close/s)
  await closed
  t.comment(`closed after ${Math.round(performance.now() - startedAt)} ms`)
  assert.equal(good.closed, false, 'a connection with a valid key stays open')
  good.destroy()
})
