import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import t from 'tap'
import {
  call,
  json,
  type PoolTestOptions,
  patient,
  type Request,
  startPool,
  type Told
} from '../../testing/pool-calls.ts'
import type { CallController } from '../upstream-pool.ts'
import { Http1Pool } from './http1-pool.ts'
import { keptOpenMs } from './idle-connections.ts'

type Tap = Parameters<typeof startPool>[0]
const start = (t: Tap, answer: (request: Request) => void, options: PoolTestOptions = {}) =>
  startPool(t, (pool) => new Http1Pool(pool), answer, options)
const bodyOf = async (called: Promise<Told>) => (await called).body
const codeOf = async (called: Promise<Told>) => (await called).error?.code ?? 'none'
const causeOf = ({ error }: Told) => (error?.cause as NodeJS.ErrnoException | undefined)?.code
async function resultOf(called: Promise<Told>) {
  const { status, body, error } = await called
  return { status, body, code: error?.code ?? 'none' }
}

t.test('short and long requests arrive unchanged, one after the other on one connection', async (t) => {
  const received: string[] = []
  const { pool, sockets } = await start(t, ({ text, socket }) => {
    received.push(text)
    socket.write(json('fine'))
  })
  for (const body of ['{}', '{"é":"🎉"}', 'x'.repeat(16_384), 'é'.repeat(8193), 'x'.repeat(3_000_000), '']) {
    assert.equal(await bodyOf(call(pool, body)), 'fine')
    const bytes = Buffer.from(body)
    const host = `127.0.0.1:${sockets[0]!.localPort}`
    assert.ok(
      received.at(-1) ===
        `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\nauthorization: Bearer s3cret\r\n` +
          `x-request-id: req_7\r\ncontent-length: ${bytes.length}\r\n\r\n${bytes.toString('latin1')}`,
      `${bytes.length} bytes`
    )
  }
  assert.equal(sockets.length, 1)
  assert.equal(pool.underWay, 0)
})

t.test('each concurrent call has a connection, and the longest idle connection is used next', async (t) => {
  const waiting: Request[] = []
  const { pool, sockets } = await start(t, (request) => void waiting.push(request))
  const calls = [call(pool), call(pool), call(pool)]
  assert.equal(pool.underWay, 3)
  while (waiting.length < 3) await new Promise(setImmediate)
  for (const [over, index] of [0, 2, 1].entries()) {
    waiting.find(({ connection }) => connection === index)!.socket.write(json('x'))
    while (pool.underWay > 2 - over) await new Promise(setImmediate)
  }
  await Promise.all(calls)
  waiting.length = 0
  const next = call(pool)
  while (waiting.length < 1) await new Promise(setImmediate)
  assert.equal(waiting[0]!.connection, 0)
  waiting[0]!.socket.write(json('x'))
  await next
  assert.equal(sockets.length, 3)
})

t.test('a connection in an unclear state is not reused', async (t) => {
  let answer = ''
  let ends = false
  const { pool, sockets } = await start(t, ({ socket }) => (ends ? socket.end(answer) : socket.write(answer)))
  for (const [text, closes] of [
    [json('x', 'connection: close\r\n'), false],
    ['HTTP/1.1 200 OK\r\n\r\nx', true],
    [`${json('x')}HTTP/1.1 200 OK\r\n`, false],
    [`HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx`, false],
    [json('x', 'keep-alive: timeout=1\r\n'), false]
  ] as const) {
    ;[answer, ends] = [text, closes]
    const before = sockets.length
    assert.equal(await bodyOf(call(pool)), 'x')
    assert.equal(await bodyOf(call(pool)), 'x')
    assert.equal(sockets.length, before + 2, JSON.stringify(text))
  }
  ;[answer, ends] = [json('x'), false]
  await call(pool)
  for (const disturb of [
    (socket: Socket) => socket.write('HTTP/1.1 408 X\r\n\r\n'),
    (socket: Socket) => socket.end()
  ]) {
    const before = sockets.length
    const last = sockets.at(-1)!
    disturb(last)
    await once(last, 'close')
    assert.equal(await bodyOf(call(pool)), 'x', 'an idle connection that gets bytes or its end is closed')
    assert.equal(sockets.length, before + 1)
  }
})

t.test('an idle connection is closed before the upstream closes it', async (t) => {
  const { pool, sockets } = await start(t, ({ socket }) => void socket.write(json('x', 'keep-alive: timeout=2\r\n')), {
    timeouts: { connect: 200 }
  })
  await call(pool)
  const idleAt = performance.now()
  await once(sockets[0]!, 'close')
  const idleMs = performance.now() - idleAt
  assert.ok(idleMs > 450 && idleMs < 2000, `after ${Math.round(idleMs)} ms`)
  assert.equal(await bodyOf(call(pool)), 'x')
  assert.equal(sockets.length, 2)
})

t.test(
  'an answer that arrives before its request is sent completely is valid, and its connection is closed',
  async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.pause()
      socket.write(json('no'))
      sockets.push(socket)
    })
    const sockets: Socket[] = []
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const pool = new Http1Pool({ url, headers: {}, timeouts: patient })
    const large = Buffer.alloc(20 * 1024 * 1024)
    assert.equal(await bodyOf(call(pool, large)), 'no')
    assert.equal(await bodyOf(call(pool, large)), 'no')
    assert.equal(sockets.length, 2)
    await pool.destroy()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
)

t.test('a broken connection, a malformed answer and a failed connect have different errors', async (t) => {
  let next: (socket: Socket) => void = () => {}
  const { pool, sockets, server } = await start(t, ({ socket }) => next(socket))
  next = (socket) => socket.write(json('x'))
  await call(pool)
  next = (socket) => socket.destroy()
  assert.equal(await codeOf(call(pool)), 'connection_broke', 'a reused connection broke')
  assert.equal(sockets.length, 1)
  next = (socket) => socket.resetAndDestroy()
  assert.equal(await codeOf(call(pool)), 'connection_broke')
  next = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab')
  assert.deepEqual(await resultOf(call(pool)), { status: 200, body: 'ab', code: 'connection_broke' })
  next = (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nab', () => setImmediate(() => socket.resetAndDestroy()))
  assert.deepEqual(
    await resultOf(call(pool)),
    { status: 200, body: 'ab', code: 'connection_broke' },
    'a reset is not the end of a body'
  )
  next = (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\nx')
  assert.deepEqual(await resultOf(call(pool)), { status: 200, body: 'ab', code: 'malformed_answer' })
  next = (socket) => socket.write('ICY 200 OK\r\n')
  const { error } = await call(pool)
  assert.equal(error!.code, 'malformed_answer')
  assert.doesNotMatch(JSON.stringify([error, error!.message, error!.stack]), /s3cret/)
  server.close()
  for (const socket of sockets) socket.destroy()
  const refused = await call(pool)
  assert.deepEqual([refused.error?.code, causeOf(refused)], ['not_connected', 'ECONNREFUSED'])
  assert.equal(refused.controller, undefined, 'it never began')
  assert.equal(pool.underWay, 0)
})

t.test('each timeout has its own error, and none is too early', async (t) => {
  let next: (socket: Socket) => void = () => {}
  const timeouts = { connect: 80, firstByte: 120, betweenChunks: 160 }
  const { pool } = await start(t, ({ socket }) => next(socket), { timeouts })
  const timed = async () => {
    const startedAt = performance.now()
    const code = await codeOf(call(pool))
    return { code, ms: performance.now() - startedAt }
  }
  const first = await timed()
  assert.equal(first.code, 'first_byte_timeout')
  assert.ok(first.ms >= 120, `${first.ms} ms`)
  next = (socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
  }
  assert.equal((await timed()).code, 'first_byte_timeout', 'interim answers do not count')
  next = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab')
  const between = await timed()
  assert.equal(between.code, 'between_chunks_timeout')
  assert.ok(between.ms >= 160, `${between.ms} ms`)
  next = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')
    let left = 5
    const timer = setInterval(() => {
      socket.write('x')
      if (--left === 0) clearInterval(timer)
    }, 60)
  }
  assert.equal((await timed()).code, 'none', 'a slow answer may take longer than each timeout')
  // Accepts connections and sends nothing, so the TLS handshake never ends.
  const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = new URL(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  const unreachable = new Http1Pool({ url, headers: {}, timeouts })
  const startedAt = performance.now()
  assert.equal(await codeOf(call(unreachable)), 'connect_timeout')
  assert.ok(performance.now() - startedAt >= 80)
  silent.close()
})

t.test('the timeout pauses and resumes with the answer', async (t) => {
  const { pool, sockets } = await start(t, ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\n\r\na'), {
    timeouts: { betweenChunks: 60 }
  })
  let heldAt = 0
  const result = call(pool, '{}', {
    onData(controller) {
      if (heldAt > 0) return
      heldAt = performance.now()
      controller.pause()
      setTimeout(() => {
        sockets[0]!.write('b')
        controller.resume()
      }, 250)
    }
  })
  assert.deepEqual(await resultOf(result), { status: 200, body: 'ab', code: 'between_chunks_timeout' })
  assert.ok(performance.now() - heldAt >= 310)
})

t.test('an answer that ends while paused leaves a usable connection', async (t) => {
  const { pool, sockets } = await start(t, ({ socket }) => void socket.write(json('x')))
  const result = await call(pool, '{}', { onData: (controller) => controller.pause() })
  assert.equal(result.body, 'x')
  const next = call(pool, '{}', { onStart: () => result.controller.pause() })
  assert.equal(await bodyOf(next), 'x', 'a completed call cannot pause the next one')
  result.controller.abort(new Error('late'))
  assert.equal(await bodyOf(call(pool)), 'x')
  assert.equal(sockets.length, 1)
})

t.test('a handler that aborts a call gets one error, and the upstream notices', async (t) => {
  const { pool, sockets } = await start(t, ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n')
  })
  const reason = new Error('enough')
  const result = await call(pool, '{}', {
    onData(controller) {
      controller.abort(reason)
      // Not before the abort, since several chunks can arrive at once.
      const timer = setInterval(() => sockets[0]!.write('1\r\nb\r\n'), 1)
      sockets[0]!.once('close', () => clearInterval(timer))
    }
  })
  assert.partialDeepStrictEqual(result, { status: 200, body: 'a' })
  assert.equal(result.error, reason)
  if (!sockets[0]!.destroyed) await once(sockets[0]!, 'close')
  result.controller.abort(new Error('again'))
  result.controller.resume()
})

t.test('after a handler leaves a call, it gets the bytes sent until then, and the end', async (t) => {
  for (const secure of [false, true]) {
    const { pool, sockets } = await start(
      t,
      ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n')
        socket.prependOnceListener('end', () => void socket.write('1\r\nb\r\n'))
      },
      { secure }
    )
    const result = await call(pool, '{}', { onData: (controller) => controller.leave(new Error('enough')) })
    assert.deepEqual([result.body, result.error?.code], ['ab', 'connection_broke'])
    if (!sockets[0]!.destroyed) await once(sockets[0]!, 'close')
  }
  const { pool, sockets } = await start(t, ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n')
    socket.prependOnceListener('end', () => void socket.write('1\r\nb\r\n0\r\n\r\n'))
  })
  let isLeft = false
  const leave = (controller: CallController) => {
    if (!isLeft) controller.leave(new Error('enough'))
    isLeft = true
  }
  assert.deepEqual(await resultOf(call(pool, '{}', { onData: leave })), { status: 200, body: 'ab', code: 'none' })
  assert.equal(await bodyOf(call(pool, '{}', { onData: (controller) => controller.abort(new Error('x')) })), 'a')
  assert.equal(sockets.length, 2, 'its connection is not reused')
})

t.test('a call that is aborted at its start is not sent, and its connection stays usable', async (t) => {
  let requests = 0
  const { pool, sockets } = await start(t, ({ socket }) => {
    requests++
    socket.write(json('x'))
  })
  const reason = new Error('too late')
  for (const _ of [1, 2]) {
    const result = await call(pool, '{}', { onStart: (controller) => controller.abort(reason) })
    assert.equal(result.error, reason)
  }
  assert.equal(await bodyOf(call(pool)), 'x')
  assert.equal(requests, 1)
  assert.equal(sockets.length, 1)
})

t.test('an error that a handler throws ends only its own call', async (t) => {
  const waiting: Socket[] = []
  const { pool } = await start(t, ({ socket }) => void waiting.push(socket))
  const mistake = new Error('a mistake')
  const other = call(pool)
  const own = call(pool, '{}', {
    onData() {
      throw mistake
    }
  })
  while (waiting.length < 2) await new Promise(setImmediate)
  for (const socket of waiting) socket.write(json('x'))
  assert.equal((await own).error, mistake)
  assert.equal(await bodyOf(other), 'x')
  const early = call(pool, '{}', {
    onStart() {
      throw mistake
    }
  })
  assert.equal((await early).error, mistake)
  assert.equal(pool.underWay, 0)
})

t.test('a closed pool waits for its calls, and a destroyed pool ends them', async (t) => {
  const waiting: Socket[] = []
  const { pool, sockets } = await start(t, ({ socket }) => void waiting.push(socket))
  const last = call(pool)
  while (waiting.length < 1) await new Promise(setImmediate)
  let isClosed = false
  const closed = pool.close().then(() => {
    isClosed = true
  })
  assert.equal(await codeOf(call(pool)), 'pool_closed')
  assert.ok(!isClosed)
  waiting[0]!.write(json('x'))
  assert.equal(await bodyOf(last), 'x')
  await closed
  if (!sockets[0]!.destroyed) await once(sockets[0]!, 'close')
  await pool.close()
  const other = await start(t, () => {})
  const cutOff = call(other.pool)
  const closing = other.pool.close()
  await other.pool.destroy()
  assert.equal(await codeOf(cutOff), 'pool_closed')
  await closing
})

t.test('answers on many concurrent TLS connections are never mixed', async (t) => {
  const { pool, sockets } = await start(
    t,
    ({ text, socket }) => {
      const letter = text.at(-1)!
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n')
      for (let part = 0; part < 10; part++) setImmediate(() => socket.write(letter.repeat(20_000)))
    },
    { secure: true }
  )
  const letters = [...'abcdefghijklmnopqrst']
  for (const round of [1, 2]) {
    const bodies = await Promise.all(
      letters.map((letter) =>
        bodyOf(
          call(pool, letter, {
            onData(controller) {
              controller.pause()
              setImmediate(() => controller.resume())
            }
          })
        )
      )
    )
    assert.ok(
      bodies.every((body, index) => body === letters[index]!.repeat(200_000)),
      `round ${round}`
    )
  }
  assert.equal(sockets.length, letters.length)
})

t.test('a TLS connection resumes the session of an earlier one, and needs a trusted certificate', async (t) => {
  const { pool, sockets } = await start(t, ({ socket }) => void socket.write(json('x', 'connection: close\r\n')), {
    secure: true
  })
  for (const _ of [1, 2]) assert.equal(await bodyOf(call(pool)), 'x')
  assert.deepEqual(
    sockets.map((socket) => [(socket as TLSSocket).servername, Boolean((socket as TLSSocket).isSessionReused())]),
    [
      ['localhost', false],
      ['localhost', true]
    ]
  )
  const wary = await start(t, () => {}, { secure: true, trusted: false })
  const untrusted = await call(wary.pool)
  assert.deepEqual([untrusted.error?.code, causeOf(untrusted)], ['not_connected', 'DEPTH_ZERO_SELF_SIGNED_CERT'])
  const plain = await start(t, () => {})
  const url = new URL(`https://127.0.0.1:${(plain.server.address() as AddressInfo).port}`)
  plain.server.removeAllListeners('connection').on('connection', (socket: Socket) => socket.destroy())
  const refused = new Http1Pool({ url, headers: {}, timeouts: patient })
  assert.equal(await codeOf(call(refused)), 'not_connected', 'it ended within the handshake')
})

t.test('the pool keeps an idle connection for less time than the upstream does', async () => {
  assert.equal(keptOpenMs(undefined, 4000), 4000)
  assert.equal(keptOpenMs('max=100', 60_000), 60_000)
  assert.equal(keptOpenMs('timeout=5, max=100', 60_000), 3500)
  assert.equal(keptOpenMs('max=100, Timeout="75"', 4000), 73_500)
  assert.equal(keptOpenMs('timeout=999999', 4000), 600_000)
  assert.ok(keptOpenMs('timeout=1', 4000) <= 0)
})

t.test('no header can end its line in the head of a request', async (t) => {
  let requests = 0
  const { server } = await start(t, () => void requests++)
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const pool = new Http1Pool({ url, headers: { 'x-header': 's3cret\r\nx-other: y' }, timeouts: patient })
  const { error } = await call(pool)
  assert.match(error!.message, /could end its line/)
  assert.doesNotMatch(error!.stack!, /s3cret/)
  assert.equal(requests, 0)
})
