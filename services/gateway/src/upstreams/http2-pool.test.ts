import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import t from 'tap'
import { call, json, type PoolTestOptions, type Request, startPool, type Told } from '../testing/pool-calls.ts'
import { Http2Pool } from './http2-pool.ts'
import type { AnswerHead, CallController } from './upstream-pool.ts'

type Tap = Parameters<typeof startPool>[0]
const start = (t: Tap, answer: (request: Request) => void, options: PoolTestOptions = {}) =>
  startPool(t, (pool) => new Http2Pool(pool), answer, { secure: true, ...options })
const bodyOf = async (called: Promise<Told>) => (await called).body
const codeOf = async (called: Promise<Told>) => (await called).error?.code ?? 'none'
const causeOf = ({ error }: Told) => (error?.cause as NodeJS.ErrnoException | undefined)?.code
async function resultOf(called: Promise<Told>) {
  const { status, body, error } = await called
  return { status, body, code: error?.code ?? 'none' }
}

t.test('without HTTP/2, short and long requests arrive unchanged, each on a connection of its own', async (t) => {
  const received: string[] = []
  const { pool, sockets, server } = await start(t, ({ text, socket }) => {
    received.push(text)
    socket.write(json('fine'))
  })
  const bodies = ['{}', '{"é":"🎉"}', 'é'.repeat(8193), 'x'.repeat(300_000)]
  for (const body of bodies) {
    assert.equal(await bodyOf(call(pool, body)), 'fine')
    const bytes = Buffer.from(body)
    const host = `localhost:${(server.address() as AddressInfo).port}`
    assert.ok(
      received.at(-1) ===
        `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\nauthorization: Bearer s3cret\r\n` +
          `x-request-id: req_7\r\ncontent-length: ${bytes.length}\r\n\r\n${bytes.toString('latin1')}`,
      `${bytes.length} bytes`
    )
  }
  assert.equal(sockets.length, bodies.length)
  assert.equal(pool.underWay, 0)
})

t.test('each failure has the same code as with the gateway’s own client', async (t) => {
  let next: (socket: Socket) => void = () => {}
  const timeouts = { connect: 500, firstByte: 120, betweenChunks: 160 }
  const { pool, sockets, server } = await start(t, ({ socket }) => next(socket), { timeouts })
  assert.equal(await codeOf(call(pool)), 'first_byte_timeout')
  next = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab')
  assert.deepEqual(await resultOf(call(pool)), { status: 200, body: 'ab', code: 'between_chunks_timeout' })
  next = (socket) => socket.destroy()
  assert.equal(await codeOf(call(pool)), 'connection_broke')
  next = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab')
  assert.deepEqual(await resultOf(call(pool)), { status: 200, body: 'ab', code: 'connection_broke' })
  next = (socket) => socket.write('ICY 200 OK\r\n\r\n')
  assert.equal(await codeOf(call(pool)), 'malformed_answer')
  next = (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\nx')
  assert.deepEqual(await resultOf(call(pool)), { status: 200, body: 'ab', code: 'malformed_answer' })
  server.close()
  for (const socket of sockets) socket.destroy()
  const refused = await call(pool)
  assert.deepEqual([refused.error?.code, causeOf(refused)], ['not_connected', 'ECONNREFUSED'])
  assert.equal(refused.controller, undefined, 'it never began')
  const wary = await start(t, () => {}, { secure: true, trusted: false })
  assert.equal(await codeOf(call(wary.pool)), 'not_connected', 'the certificate is not trusted')
})

t.test('a request is not sent again after its connection broke', async (t) => {
  let requests = 0
  const { pool } = await start(t, ({ socket }) => {
    if (++requests === 1) socket.write(json('x'))
    else socket.destroy()
  })
  assert.equal(await bodyOf(call(pool)), 'x')
  assert.equal(await codeOf(call(pool)), 'connection_broke', 'a reused connection broke')
  assert.equal(requests, 2)
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
  assert.ok(performance.now() - heldAt >= 300)
})

t.test('a handler that aborts or leaves a call gets one error with its reason, and the upstream notices', async (t) => {
  const reason = new Error('enough')
  for (const end of ['abort', 'leave'] as const) {
    const { pool, sockets } = await start(t, ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n')
    })
    const result = await call(pool, '{}', { onData: (controller) => controller[end](reason) })
    assert.partialDeepStrictEqual(result, { status: 200, body: 'a' })
    assert.equal(result.error, reason)
    if (!sockets[0]!.destroyed) await once(sockets[0]!, 'close')
    result.controller.abort(new Error('again'))
    result.controller.resume()
  }
})

t.test('a call that is aborted at its start is not sent', async (t) => {
  let requests = 0
  const { pool } = await start(t, ({ socket }) => {
    requests++
    socket.write(json('x'))
  })
  const reason = new Error('too late')
  const result = await call(pool, '{}', { onStart: (controller: CallController) => controller.abort(reason) })
  assert.equal(result.error, reason)
  assert.equal(await bodyOf(call(pool)), 'x')
  assert.equal(requests, 1)
})

t.test('a closed pool waits for its calls, and a destroyed pool ends them', async (t) => {
  const waiting: Socket[] = []
  const { pool } = await start(t, ({ socket }) => void waiting.push(socket))
  const last = call(pool)
  while (waiting.length < 1) await new Promise(setImmediate)
  assert.equal(pool.underWay, 1)
  const closed = pool.close()
  assert.equal(await codeOf(call(pool)), 'pool_closed')
  waiting[0]!.write(json('x'))
  assert.equal(await bodyOf(last), 'x')
  await closed
  const other = await start(t, ({ socket }) => void waiting.push(socket))
  const cutOff = call(other.pool)
  while (waiting.length < 2) await new Promise(setImmediate)
  const closing = other.pool.close()
  await other.pool.destroy()
  assert.equal(await codeOf(cutOff), 'pool_closed')
  await closing
})

t.test('repeated fields are joined, as in the gateway’s own client', async (t) => {
  const { pool } = await start(t, ({ socket }) => {
    const fields = 'content-type: a/b\r\ncontent-type: text/html\r\nretry-after: 1\r\nretry-after: 2\r\n'
    socket.write(json('x', fields))
  })
  const head = await new Promise<AnswerHead>((resolve, reject) =>
    pool.dispatch(
      { path: '/', requestId: 'req_1', trace: null, fields: [], body: '{}' },
      {
        onRequestStart() {},
        onResponseStart: (_controller, _status, head) => resolve(head),
        onResponseData() {},
        onResponseEnd() {},
        onResponseError: (_controller, error) => reject(error)
      }
    )
  )
  assert.partialDeepStrictEqual(head, { contentType: 'a/b, text/html', retryAfter: '1, 2', contentLength: 1 })
})
