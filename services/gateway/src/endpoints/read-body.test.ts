import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { readBody } from './read-body.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What has been allocated for buffers, and the objects that stand for them. */
function usedBytes(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

t.test('a body takes about as much memory as it has bytes, however many pieces they come in', async (t) => {
  const length = 200_000
  for (const framing of [{ 'content-length': String(length) }, { 'transfer-encoding': 'chunked' }]) {
    const request = new EventEmitter() as IncomingMessage
    request.headers = { 'content-type': 'application/json', ...framing }
    let body: Buffer | null = null
    readBody(request, length, (failure, bytes) => {
      t.equal(failure, null)
      body = bytes
    })
    const before = usedBytes()
    for (let at = 0; at < length - 1; at++) request.emit('data', Buffer.alloc(1, at))
    t.ok(usedBytes() - before < 10 * length)
    t.equal(body, null)
    request.emit('data', Buffer.alloc(1, length - 1))
    request.emit('end')
    t.ok(body!.equals(Buffer.from(Array.from({ length }, (_, at) => at))))
  }
})
