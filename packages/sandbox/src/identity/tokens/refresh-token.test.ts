import fc from 'fast-check'
import t from 'tap'
import { judgeRefresh } from './judge-refresh.ts'
import { decodeRefreshToken, encodeRefreshToken, isRefreshTokenOf, newRefreshKey } from './refresh-token.ts'

const content = fc.record({ sessionId: fc.uuid(), counter: fc.integer({ min: 0, max: 2 ** 48 - 1 }) })

t.test('a token says which session it is of and its number, and its key signs that', async () => {
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

t.test('a token with any character changed is not the session’s', async () => {
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

t.test('anything else is no token', async (t) => {
  fc.assert(fc.property(fc.string(), (text) => decodeRefreshToken(text) === null))
  t.equal(isRefreshTokenOf('', newRefreshKey()), false)
})

t.test('a refresh token is rotated, answered again, refused, or ends the session', async (t) => {
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
    t.equal(judgeRefresh(facts), expected, JSON.stringify(facts))
  }
})
