import assert from 'node:assert/strict'
import { test } from 'tap'
import { whyNoKeys } from './why-no-keys.ts'

const facts = { isFiltered: false, isLooking: false, isPartly: false, hasRevoked: false }

test('an empty list says why it is, and nothing before that is known', async () => {
  for (const [given, why] of [
    [{}, 'new'],
    [{ hasRevoked: true }, 'revoked'],
    [{ hasRevoked: undefined }, 'looking'],
    [{ isFiltered: true }, 'filtered'],
    [{ isFiltered: true, hasRevoked: true }, 'filtered'],
    [{ isFiltered: true, isLooking: true }, 'looking'],
    [{ isFiltered: true, isPartly: true }, 'partly'],
    [{ isLooking: true, hasRevoked: true }, 'looking']
  ] as const) {
    assert.equal(whyNoKeys({ ...facts, ...given }), why, JSON.stringify(given))
  }
})
