import assert from 'node:assert/strict'
import { test } from 'tap'
import { noKeysReason } from './no-keys-reason.ts'

const facts = { isFiltered: false, isSearching: false, hasRevoked: false }

test('an empty list says why it is empty, once that is known', async () => {
  for (const [given, why] of [
    [{}, 'new'],
    [{ hasRevoked: true }, 'revoked'],
    [{ hasRevoked: undefined }, 'searching'],
    [{ isFiltered: true }, 'filtered'],
    [{ isFiltered: true, hasRevoked: true }, 'filtered'],
    [{ isFiltered: true, isSearching: true }, 'searching'],
    [{ isSearching: true, hasRevoked: true }, 'searching']
  ] as const) {
    assert.equal(noKeysReason({ ...facts, ...given }), why, JSON.stringify(given))
  }
})
