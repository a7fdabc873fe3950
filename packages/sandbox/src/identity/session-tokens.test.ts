import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import {
  decideRefresh,
  decodeRefreshToken,
  encodeRefreshToken,
  isRefreshTokenOf,
  newRefreshKey
} from './session-tokens.ts'

const content = fc.record({ sessionId: fc.uuid(), counter: fc.integer({ min: 0, max: 2 ** 48 - 1 }) })

test('a token contains its session and number, signed with the key of the session', async () => {
  fc.assert(
    fc.property(content, (values) => {
      const key = newRefreshKey()
      const token = encodeRefreshToken(values, key)
      const decoded = decodeRefreshToken(token)
      return (
        decoded?.sessionId === values.sessionId &&
        decoded.counter === values.counter &&
        isRefreshTokenOf(token, key) &&
        !isRefreshTokenOf(token, newRefreshKey())
      )
    })
  )
})

test('a token with any changed character is invalid', async () => {
  fc.assert(
    fc.property(content, fc.nat(), fc.constantFrom(...'AZaz09-_'), (values, position, character) => {
      const key = newRefreshKey()
      const token = encodeRefreshToken(values, key)
      const index = position % token.length
      fc.pre(token[index] !== character)
      const changed = token.slice(0, index) + character + token.slice(index + 1)
      return decodeRefreshToken(changed) === null || !isRefreshTokenOf(changed, key)
    })
  )
})

test('any other text is not decoded', async () => {
  fc.assert(fc.property(fc.string(), (text) => decodeRefreshToken(text) === null))
  assert.equal(isRefreshTokenOf('', newRefreshKey()), false)
})

test('a refresh token is rotated, gets the active token, is refused, or ends the session', async () => {
  for (const [activeCounter, presentedCounter, sinceLastRefreshMs, expected] of [
    [5, 5, 0, 'rotate'],
    [5, 5, 1e9, 'rotate'],
    [5, 4, 1e9, 'return_active'],
    [5, 3, 9_999, 'return_active'],
    [5, 0, 9_999, 'return_active'],
    [5, 3, 10_000, 'end_session'],
    [5, 0, 1e9, 'end_session'],
    [5, 6, 0, 'not_issued']
  ] as const) {
    const facts = { activeCounter, presentedCounter, sinceLastRefreshMs, reuseIntervalMs: 10_000 }
    assert.equal(decideRefresh(facts), expected, JSON.stringify(facts))
  }
})
