import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { BodyMemory } from '../body/body-memory.ts'
import { SlowBodies } from '../body/slow-bodies.ts'
import { readBody } from './read-body.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const megabyte = 1024 * 1024

/** The allocated bytes of buffers and of all objects. */
function usedBytes(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** A request without a body. A test adds the body. */
function requestOf(headers: IncomingHttpHeaders): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.headers = { 'content-type': 'application/json', ...headers }
  return request
}

t.test('a body takes about as much memory as it has bytes, in any number of pieces', async () => {
  const length = 200_000
  const framings = [{ 'content-length': String(length) }, { 'transfer-encoding': 'chunked' }]
  // The compiler takes memory too, whenever it has time. So the least of several rounds counts.
  const least = framings.map(() => Number.POSITIVE_INFINITY)
  for (const [number, framing] of [...framings, ...framings, ...framings].entries()) {
    const request = requestOf(framing)
    const reader = { memory: new BodyMemory(megabyte), slowBodies: new SlowBodies(10_000) }
    const sender = { bodyBytes: 0 }
    const bodies: Buffer[] = []
    let totalBytes = 0
    readBody(request, new ServerResponse(request), reader, sender, megabyte, (failure, bytes, heldBytes) => {
      assert.equal(failure, null)
      bodies.push(bytes)
      totalBytes = heldBytes
    })
    const before = usedBytes()
    for (let at = 0; at < length - 1; at++) request.emit('data', Buffer.alloc(1, at))
    const kind = number % framings.length
    least[kind] = Math.min(least[kind]!, usedBytes() - before)
    assert.ok(sender.bodyBytes >= length - 1)
    assert.equal(bodies.length, 0)
    request.emit('data', Buffer.alloc(1, length - 1))
    request.emit('end')
    assert.ok(bodies[0]!.equals(Buffer.from(Array.from({ length }, (_, at) => at))))
    assert.equal(reader.memory.heldBytes, totalBytes)
    reader.memory.release(sender, totalBytes)
    assert.equal(sender.bodyBytes, 0)
  }
  for (const bytes of least) assert.ok(bytes < 2.5 * length, `${bytes} bytes`)
})
