import assert from 'node:assert/strict'
import { test } from 'tap'
import { isTotpCode, newTotpSecret, totpCode } from './totp.ts'

/** `12345678901234567890` in base32: the secret of RFC 6238, appendix B. */
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('the codes match the test values of RFC 6238', async () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130']
  ] as const) {
    assert.equal(totpCode(rfcSecret, seconds * 1000), code)
  }
})

test('a code is accepted one step early and one step late, but no other text', async () => {
  const secret = newTotpSecret()
  const now = 1_800_000_000_000
  for (const [stepsOff, expected] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false]
  ] as const) {
    const code = totpCode(secret, now + stepsOff * 30_000)
    const isAccepted = isTotpCode(secret, code, now)
    // By chance, two steps can have the same code.
    const near = [-1, 0, 1].map((step) => totpCode(secret, now + step * 30_000))
    assert.equal(isAccepted, expected || near.includes(code), String(stepsOff))
  }
  for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５６', ' 12345']) {
    assert.equal(isTotpCode(secret, code, now), false, code)
  }
  assert.match(secret, /^[A-Z2-7]{32}$/)
})
