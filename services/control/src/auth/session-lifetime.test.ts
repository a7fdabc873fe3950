import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { absoluteLifetimeMs, idleLifetimeMs, isOver, newSpan, slideSpan } from './session-lifetime.ts'

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
  assert.equal(slideSpan(span, later(minute - 1)), null)
  const used = { lastUsedAt: later(minute), idleEndsAt: later(7 * day + minute), endsAt: span.endsAt }
  assert.deepEqual(slideSpan(span, later(minute)), used)
})

test('the last use is known to the minute also when the end cannot move any more', async () => {
  const endsAt = later(30 * day)
  const span = { lastUsedAt: later(25 * day), idleEndsAt: endsAt, endsAt }
  assert.equal(slideSpan(span, later(25 * day + minute - 1)), null)
  const lastUsedAt = later(25 * day + minute)
  assert.deepEqual(slideSpan(span, lastUsedAt), { lastUsedAt, idleEndsAt: endsAt, endsAt })
})

test('no use makes a session last longer than thirty days, nor end sooner', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 * day }), { maxLength: 60 }), (pauses) => {
      let span = newSpan(start)
      const { endsAt } = span
      let now = start
      for (const pause of pauses) {
        const lastUse = now
        now = new Date(now.getTime() + pause)
        // What is remembered is at most a minute behind the true last use.
        const trueEnd = Math.min(lastUse.getTime() + idleLifetimeMs, endsAt.getTime())
        assert(trueEnd - span.idleEndsAt.getTime() < minute)
        if (isOver(span, now)) return
        const slid = slideSpan(span, now)
        if (slid !== null) assert(slid.idleEndsAt >= span.idleEndsAt)
        span = slid ?? span
        assert(now.getTime() - span.lastUsedAt.getTime() < minute)
        assert(span.idleEndsAt <= endsAt)
      }
      assert.equal(isOver(span, later(absoluteLifetimeMs)), true)
    })
  )
})
