import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import pino from 'pino'
import t from 'tap'
import { chatOf, post, rawConnection } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const megabyte = 1024 * 1024
const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }
const chat = JSON.stringify(chatOf('small'))
/** Bytes that compress badly. */
const noise = Buffer.from(Array.from({ length: 300_000 }, (_, at) => 97 + (((at * at * 7919 + at * 31) % 1021) % 26)))

const upload = fc.record({
  encoder: fc.option(fc.constantFrom(...(Object.keys(encoders) as Array<keyof typeof encoders>)), { freq: 3 }),
  filling: fc.constantFrom(Buffer.alloc(0), Buffer.alloc(90_000, 'x'), noise, Buffer.alloc(3 * megabyte, 'x')),
  framing: fc.constantFrom('length', 'chunks', 'trailers', 'continue', 'zero', 'too much'),
  isDamaged: fc.nat({ max: 5 }).map((number) => number === 0),
  pieces: fc.integer({ min: 1, max: 6 }),
  /** How many pieces are sent. From `pieces` on, the whole body and its end. */
  sent: fc.integer({ min: 0, max: 8 }),
  leaving: fc.constantFrom('reset', 'close', 'half', 'waits'),
  key: fc.nat({ max: 1 })
})
type Upload = typeof upload extends fc.Arbitrary<infer One> ? One : never

/** To compress takes longer than to send. */
const encoded = new Map<string, Buffer>()

function bodyOf({ encoder, filling, isDamaged }: Upload): Buffer {
  const name = `${encoder} ${filling.length}`
  const plain = Buffer.concat([Buffer.from(`${chat.slice(0, -1)},"user":"`), filling, Buffer.from('"}')])
  const bytes = encoded.get(name) ?? (encoder === null ? plain : encoders[encoder](plain))
  encoded.set(name, bytes)
  return isDamaged ? Buffer.concat([bytes.subarray(0, bytes.length >> 1), Buffer.alloc(50, 7)]) : bytes
}

function headOf({ encoder, framing }: Upload, secret: string, length: number): string {
  const declared = { zero: 0, 'too much': 21 * megabyte, chunks: -1, trailers: -1, length, continue: length }[framing]
  return [
    ...['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${secret}`],
    'content-type: application/json',
    ...(encoder === null ? [] : [`content-encoding: ${encoder}`]),
    ...(framing === 'continue' ? ['expect: 100-continue'] : []),
    declared < 0 ? 'transfer-encoding: chunked' : `content-length: ${declared}`,
    ...['', '']
  ].join('\r\n')
}

/** Sends a part of a body, or all of it, and leaves. @returns once the connection is closed */
async function send(gateway: TestGateway, one: Upload, { secret }: SeededKey): Promise<void> {
  const body = bodyOf(one)
  const socket = rawConnection(gateway).on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const answered = once(socket, 'data').catch(() => [])
  const isChunked = one.framing === 'chunks' || one.framing === 'trailers'
  socket.write(headOf(one, secret, body.length))
  const size = Math.ceil(body.length / one.pieces)
  for (let number = 0; number < Math.min(one.sent, one.pieces); number++) {
    const piece = body.subarray(number * size, (number + 1) * size)
    if (piece.length === 0) continue
    if (isChunked) socket.write(`${piece.length.toString(16)};an=extension\r\n`)
    socket.write(piece)
    if (isChunked) socket.write('\r\n')
    await new Promise(setImmediate)
  }
  const isWhole = one.sent >= one.pieces
  if (isChunked && isWhole)
    socket.write(one.framing === 'trailers' ? '0\r\nx-a: 1\r\ncontent-length: 5\r\n\r\n' : '0\r\n\r\n')
  if (one.leaving === 'waits' && isWhole) await Promise.race([answered, closed])
  leave(socket, one.leaving)
  await closed
}

function leave(socket: Socket, how: Upload['leaving']): void {
  if (how === 'reset') socket.resetAndDestroy()
  else if (how === 'half') socket.resume().end()
  else socket.destroy()
}

t.test('no memory stays held, whatever clients upload and whenever they leave', async (t) => {
  const upstream = await startFakeUpstream()
  const cutOff: string[] = []
  const write = (line: string) => {
    if (line.includes('"request_timeout"')) cutOff.push(line)
  }
  // The gateway must drop a body at once when its client leaves. The log shows bodies that are cut off as slow ones
  // instead.
  const protection = { slowBodyMs: 5000 }
  const log = pino({ level: 'info' }, { write })
  const gateway = await startGateway(upstream.url, { protection, log, bodyMemoryMb: 24 })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const keys = [await gateway.seedKey(), await gateway.seedKey()]
  for (const { secret } of keys)
    assert.equal((await post(gateway, secret, '/chat/completions', chatOf('small'))).status, 200)
  const { bodyMemory } = gateway
  const heldBytes = () => bodyMemory.heldBytes + bodyMemory.awaitedBytes

  await fc.assert(
    fc.asyncProperty(fc.array(upload, { minLength: 1, maxLength: 6 }), async (all) => {
      await Promise.all(all.map((one) => send(gateway, one, keys[one.key]!)))
      while (heldBytes() !== 0) await new Promise((resolve) => setTimeout(resolve, 5))
      if (cutOff.length > 0) throw new Error(cutOff[0])
      upstream.received.length = 0
    }),
    propertyRuns(10, 60)
  )

  // Each key can use its whole allowance again: 24 MiB.
  for (const { secret } of keys) {
    const sockets = [20, 4].map((megabytes) => {
      const socket = rawConnection(gateway).on('error', () => {})
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n` +
          `content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${megabytes * megabyte}\r\n\r\n`
      )
      return socket
    })
    for (const socket of sockets) assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 100 Continue\r\n/)
    assert.equal(bodyMemory.awaitedBytes, 24 * megabyte)
    for (const socket of sockets) socket.destroy()
    while (heldBytes() !== 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }
})
