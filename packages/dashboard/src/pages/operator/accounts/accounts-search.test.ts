import assert from 'node:assert/strict'
import { test } from 'tap'
import { isFiltered, queryOf } from './accounts-search.ts'

test('an address with a search, filters, an order and a page asks the API for them', async () => {
  const search = { q: ' ada@ ', plan: 'pro', status: 'suspended', past_due: 'true', sort: 'created', cursor: 'next' }
  assert.deepEqual(queryOf(search), { ...search, q: 'ada@', limit: '50' })
  assert.ok(isFiltered(search))
  assert.deepEqual(queryOf({ status: 'waiting' }), { status: 'waiting', limit: '50' })
})

test('unknown values in the address do not break the list', async () => {
  const search = { q: '  ', status: 'gone', past_due: 'yes', sort: 'name' }
  assert.deepEqual(queryOf(search), { limit: '50' })
  assert.ok(!isFiltered(search))
})
