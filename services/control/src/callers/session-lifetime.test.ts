import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { absoluteLifetimeMs, extendSpan, idleLifetimeMs, isOver, newSpan } from './session-cookie.ts'

const start = new Date('2026-11-21T12:00:00Z')
const later = (ms: number) => new Date(start.getTime() + ms)
const minute = 60_000
const day = 24 * 60 * minute

test('an unused session ends after exactly seven days', async () => {
  const span = newSpan(start)
  assert.equal(isOver(span, later(7 * day - 1)), false)
  assert.equal(isOver(span, later(7 * day)), true)
})

test('a use within a minute of the last is not stored', async () => {
  const span = newSpan(start)
  assert.equal(extendSpan(span, later(minute - 1)), null)
  const used = { lastUsedAt: later(minute), idleEndsAt: later(7 * day + minute), endsAt: span.endsAt }
  assert.deepEqual(extendSpan(span, later(minute)), used)
})

test('the last use is exact to the minute, also when the end no longer moves', async () => {
  const endsAt = later(30 * day)
  const span = { lastUsedAt: later(25 * day), idleEndsAt: endsAt, endsAt }
  assert.equal(extendSpan(span, later(25 * day + minute - 1)), null)
  const lastUsedAt = later(25 * day + minute)
  assert.deepEqual(extendSpan(span, lastUsedAt), { lastUsedAt, idleEndsAt: endsAt, endsAt })
})

test('use never extends a session beyond thirty days, and never shortens it', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 * day }), { maxLength: 60 }), (pauses) => {
      let span = newSpan(start)
      const { endsAt } = span
      let now = start
      for (const pause of pauses) {
        const lastUse = now
        now = new Date(now.getTime() + pause)
        // The stored use is at most a minute before the true last use.
        const trueEnd = Math.min(lastUse.getTime() + idleLifetimeMs, endsAt.getTime())
        assert(trueEnd - span.idleEndsAt.getTime() < minute)
        if (isOver(span, now)) return
        const extended = extendSpan(span, now)
        if (extended !== null) assert(extended.idleEndsAt >= span.idleEndsAt)
        span = extended ?? span
        assert(now.getTime() - span.lastUsedAt.getTime() < minute)
        assert(span.idleEndsAt <= endsAt)
      }
      assert.equal(isOver(span, later(absoluteLifetimeMs)), true)
    })
  )
})
