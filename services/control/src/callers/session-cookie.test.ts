import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import {
  absoluteLifetimeMs,
  cookieAttributes,
  extendSpan,
  idleLifetimeMs,
  isOver,
  newSpan,
  presentedSessions
} from './session-cookie.ts'

test('the cookie is secure if and only if the public URL is https', async () => {
  assert.equal(cookieAttributes('https://app.example.com', 'example.com').secure, true)
  assert.equal(cookieAttributes('http://app.example.com', 'example.com').secure, false)
})

test('the cookie is shared with subdomains if cookies can name the domain', async () => {
  assert.equal(cookieAttributes('https://app.example.com', 'example.com').domain, 'example.com')
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    assert.equal('domain' in cookieAttributes(`http://${host}:3000`, host), false, host)
  }
})

test('every cookie of this name is found, and no other', async () => {
  assert.deepEqual(presentedSessions(undefined), [])
  assert.deepEqual(presentedSessions(''), [])
  assert.deepEqual(presentedSessions('a=1; svc_session=x;svc_session=y; xsvc_session=z; svc_sessionx=z'), ['x', 'y'])
  assert.deepEqual(presentedSessions('svc_session; svc_session='), ['', ''])
  assert.deepEqual(presentedSessions('svc_session=a=b'), ['a=b'])
})

test('any cookie header can be parsed', async () => {
  fc.assert(fc.property(fc.string(), (header) => Array.isArray(presentedSessions(header))))
})

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
