import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import t from 'tap'
import { BodyMemory } from '../body/body-memory.ts'
import { SlowBodies } from '../body/slow-bodies.ts'
import { readBody } from './read-body.ts'

const megabyte = 1024 * 1024

/** A request without a body. A test adds the body. */
function requestOf(headers: IncomingHttpHeaders): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.headers = { 'content-type': 'application/json', ...headers }
  return request
}

function end(request: IncomingMessage): void {
  request.complete = true
  request.push(null)
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('a client that leaves after its whole body holds no memory, even while a decoder works', async () => {
  const request = requestOf({ 'transfer-encoding': 'chunked', 'content-encoding': 'gzip' })
  const reader = { memory: new BodyMemory(megabyte), slowBodies: new SlowBodies(1e9) }
  const sender = { bodyBytes: 0 }
  readBody(request, new ServerResponse(request), reader, sender, megabyte, () => assert.fail('the client has left'))
  request.push(gzipSync(randomBytes(300_000)))
  await once(request, 'pause')
  assert.ok(reader.memory.heldBytes > 0)
  end(request)
  request.destroy()
  await once(request, 'close')
  assert.equal(reader.memory.heldBytes, 0)
  assert.equal(sender.bodyBytes, 0)
})

const plain = fc.constantFrom(1, 30, 5000, 70_000, 300_000).map((length) => Buffer.alloc(length, 'x'))
const encodings = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  identity: null
}
const sent = fc
  .record({
    body: plain,
    encoding: fc.constantFrom(...(Object.keys(encodings) as Array<keyof typeof encodings>)),
    isChunked: fc.boolean(),
    /** Added to the declared length. */
    extraLength: fc.constantFrom(0, 0, 0, 1000),
    damage: fc.constantFrom('none', 'none', 'none', 'cut', 'garbage', 'more'),
    pieces: fc.integer({ min: 1, max: 8 }),
    ending: fc.constantFrom('ends', 'ends', 'ends', 'leaves', 'stalls'),
    leavesAfter: fc.nat({ max: 8 })
  })
  .map(({ body, encoding, damage, ...rest }) => {
    let bytes = encodings[encoding]?.(body) ?? body
    if (damage === 'cut') bytes = bytes.subarray(0, bytes.length >> 1)
    if (damage === 'garbage') bytes = Buffer.alloc(bytes.length, 7)
    if (damage === 'more') bytes = Buffer.concat([bytes, Buffer.from('more')])
    return { body, encoding, damage, bytes, ...rest }
  })
type Sent = typeof sent extends fc.Arbitrary<infer One> ? One : never

t.test('no memory stays held, in any order in which bodies arrive, break and stall, and clients leave', async (t) => {
  const [processLimit, senderLimit] = [600_000, 400_000]
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      async (all, order) => {
        // The test itself checks bodies that stall.
        const slowBodies = new SlowBodies(1e9)
        const reader = { memory: new BodyMemory(processLimit), slowBodies }
        const senders = [{ bodyBytes: 0 }, { bodyBytes: 0 }]
        const stalled: Array<() => void> = []
        const isHeld: Array<() => void> = []
        const began = slowBodies.began.bind(slowBodies)
        slowBodies.began = (body) => {
          stalled.push(
            () => body.cutOff(),
            () => void (body.isAbandoned && body.forget())
          )
          began(body)
        }
        const under = all.map((one, index) => start(one, senders[index % 2]!))
        while (under.some(({ steps }) => steps.length > 0)) {
          const open = under.filter(({ steps }) => steps.length > 0)
          open[order.next().value % open.length]!.steps.shift()!()
          // A decoder works in another thread, in its own time.
          if (order.next().value % 3 === 0) await turn()
          if (reader.memory.heldBytes > processLimit) throw new Error('the process holds too much')
          if (senders.some(({ bodyBytes }) => bodyBytes > senderLimit)) throw new Error('a sender holds too much')
          if (order.next().value % 4 === 0) isHeld.pop()?.()
        }
        while (under.some(({ isOver, one }) => !isOver() && one.ending === 'ends')) await turn()
        for (const cut of stalled) cut()
        for (const release of isHeld) release()
        const left = [reader.memory.heldBytes, ...senders.map(({ bodyBytes }) => bodyBytes)]
        if (left.some((bytes) => bytes !== 0)) throw new Error(`${left} bytes are held`)

        function start(one: Sent, sender: { bodyBytes: number }) {
          const { bytes, encoding, isChunked, extraLength, pieces, ending, leavesAfter } = one
          const framing = isChunked
            ? { 'transfer-encoding': 'chunked' }
            : { 'content-length': String(bytes.length + (ending === 'ends' ? 0 : extraLength)) }
          const request = requestOf({ ...framing, 'content-encoding': encoding })
          let times = 0
          readBody(request, new ServerResponse(request), reader, sender, senderLimit, (failure, body, heldBytes) => {
            times++
            if (times > 1) throw new Error('the result came twice')
            const outcome = failure?.code ?? `${encoding} ${one.damage}`
            seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
            if (failure !== null) {
              if (heldBytes !== 0) throw new Error('a failure holds memory')
              checkFailure(one, failure)
              return
            }
            if (one.damage === 'none' && !body.equals(one.body)) throw new Error('the body changed')
            if (heldBytes < body.length) throw new Error('less is held than the body has')
            isHeld.push(() => reader.memory.release(sender, heldBytes))
          })
          const size = Math.ceil(bytes.length / pieces) || 1
          const steps: Array<() => void> = []
          for (let at = 0; at < bytes.length; at += size) {
            steps.push(() => void request.push(Buffer.from(bytes.subarray(at, at + size))))
          }
          if (ending === 'leaves') steps.splice(leavesAfter, Number.POSITIVE_INFINITY, () => void request.destroy())
          if (ending === 'stalls') steps.splice(leavesAfter)
          if (ending === 'ends') steps.push(() => end(request))
          return { one, steps, isOver: () => times > 0 }
        }
      }
    ),
    propertyRuns(40, 150)
  )
  t.comment(Object.fromEntries(seen))
  for (const outcome of ['gzip none', 'zstd none', 'br none', 'deflate none', 'identity none', 'invalid_request']) {
    assert.ok(seen.has(outcome), outcome)
  }
  for (const outcome of ['concurrent_request_bytes', 'gateway_busy', 'request_timeout'])
    assert.ok(seen.has(outcome), outcome)
})

function checkFailure({ damage, encoding, ending }: Sent, { code }: ServiceError): void {
  if (code === 'concurrent_request_bytes' || code === 'gateway_busy') return
  if (code === 'request_timeout' && ending !== 'ends') return
  if (code === 'invalid_request' && damage !== 'none' && encoding !== 'identity') return
  throw new Error(`${code} for ${encoding} ${damage}`)
}
