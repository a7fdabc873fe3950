import assert from 'node:assert/strict'
import { test } from 'tap'
import { isFiltered, noKeysReason, readOrder, readTag } from './keys-search.ts'

test('an address with an unknown order or an unclear tag still lists keys', async () => {
  assert.equal(readOrder({ sort: 'spend' }), 'spend')
  assert.equal(readOrder({ sort: 'colour' }), 'newest')
  assert.equal(readOrder({}), 'newest')
  assert.deepEqual(readTag(' tenant = acme & sons '), ['tenant', 'acme & sons'])
  for (const unclear of ['', 'tenant', 'tenant=', '=acme', 'two words=acme']) assert.equal(readTag(unclear), null)
  assert.equal(isFiltered({ tag: 'tenant', revoked: '1', sort: 'label' }), false)
  assert.equal(isFiltered({ tag: 'tenant=acme' }), true)
  assert.equal(isFiltered({ q: ' x' }), true)
})

const facts = { isFiltered: false, isSearching: false, hasRevoked: false }

test('an empty list says why it is empty, once that is known', async () => {
  for (const [search, why] of [
    [{}, 'new'],
    [{ hasRevoked: true }, 'revoked'],
    [{ hasRevoked: undefined }, 'searching'],
    [{ isFiltered: true }, 'filtered'],
    [{ isFiltered: true, hasRevoked: true }, 'filtered'],
    [{ isFiltered: true, isSearching: true }, 'searching'],
    [{ isSearching: true, hasRevoked: true }, 'searching']
  ] as const) {
    assert.equal(noKeysReason({ ...facts, ...search }), why, JSON.stringify(search))
  }
})
