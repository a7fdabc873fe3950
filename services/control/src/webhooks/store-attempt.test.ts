import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { decideNextTry, retryDelaysMs } from './store-attempt.ts'

const start = new Date('2026-11-23T12:00:00Z')
const hourMs = 3_600_000

test('a delivery is tried again with growing pauses, for about a day', async () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 }), (randoms) => {
      let now = start
      let retries = 0
      for (const random of randoms) {
        const next = decideNextTry({ retries, isSingle: false, failingSince: start }, 'failed', now, random)
        if (next.dueAt === null) {
          assert.deepEqual([retries, next.status, next.disables], [retryDelaysMs.length, 'failed', 'failing'])
          const hours = (now.getTime() - start.getTime()) / hourMs
          assert.ok(hours > 24 && hours < 31, String(hours))
          return
        }
        assert.deepEqual([next.status, next.retries, next.disables], ['pending', retries + 1, null])
        const pause = next.dueAt.getTime() - now.getTime()
        assert.ok(Math.abs(pause - retryDelaysMs[retries]!) <= retryDelaysMs[retries]! / 10 + 1)
        now = next.dueAt
        retries = next.retries
      }
      assert.fail('it never ends')
    })
  )
})

test('an endpoint that takes other messages stays on when one delivery has failed for good', async () => {
  const retries = retryDelaysMs.length
  const failingSince = new Date(start.getTime() - 23 * hourMs)
  assert.equal(decideNextTry({ retries, isSingle: false, failingSince }, 'failed', start, 0).disables, null)
})

test('a success ends it, 410 turns the endpoint off, and a single delivery is not tried again', async () => {
  const delivery = { retries: 2, isSingle: false, failingSince: start }
  const end = { dueAt: null, retries: 2 }
  assert.deepEqual(decideNextTry(delivery, 'delivered', start, 0), { status: 'delivered', ...end, disables: null })
  assert.deepEqual(decideNextTry(delivery, 'gone', start, 0), { status: 'failed', ...end, disables: 'gone' })
  const single = { ...delivery, isSingle: true }
  assert.deepEqual(decideNextTry(single, 'failed', start, 0), { status: 'failed', ...end, disables: null })
})
