import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { absoluteLifetimeMs, idleLifetimeMs, isOver, newSpan, slideEnd } from './session-lifetime.ts'

const start = new Date('2026-11-21T12:00:00Z')
const later = (ms: number) => new Date(start.getTime() + ms)
const minute = 60_000
const day = 24 * 60 * minute

test('an unused session is over after seven days, to the millisecond', async () => {
  const span = newSpan(start)
  assert.equal(isOver(span, later(7 * day - 1)), false)
  assert.equal(isOver(span, later(7 * day)), true)
})

test('use within a minute of the last is not written down', async () => {
  const span = newSpan(start)
  assert.equal(slideEnd(span, later(minute - 1)), null)
  assert.deepEqual(slideEnd(span, later(minute)), later(7 * day + minute))
})

test('no use makes a session last longer than thirty days, nor end sooner', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 * day }), { maxLength: 60 }), (pauses) => {
      const { endsAt, ...rest } = newSpan(start)
      let { idleEndsAt } = rest
      let now = start
      for (const pause of pauses) {
        const lastUse = now
        now = new Date(now.getTime() + pause)
        // What is remembered is at most a minute behind the true last use.
        const trueEnd = Math.min(lastUse.getTime() + idleLifetimeMs, endsAt.getTime())
        assert(trueEnd - idleEndsAt.getTime() < minute)
        if (isOver({ idleEndsAt, endsAt }, now)) return
        const slid = slideEnd({ idleEndsAt, endsAt }, now)
        if (slid !== null) assert(slid > idleEndsAt)
        idleEndsAt = slid ?? idleEndsAt
        assert(idleEndsAt <= endsAt)
      }
      assert.equal(isOver({ idleEndsAt, endsAt }, later(absoluteLifetimeMs)), true)
    })
  )
})
