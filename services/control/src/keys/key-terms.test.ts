import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { newKeyId } from '../database/key-id.ts'
import { readKeyCursor, writeKeyCursor } from './key-cursor.ts'
import { readKeyTerms } from './key-terms.ts'
import { testCatalog } from './testing/catalog.ts'

const now = new Date('2026-11-21T12:00:00Z')
const read = (asked: Parameters<typeof readKeyTerms>[0]) => readKeyTerms(asked, testCatalog, 'free', now)
const refusedFor = (field: string) => (error: unknown) =>
  (error as { code: string }).code === 'invalid_request' && (error as Error).message.startsWith(`${field}: `)

test('the terms contain only the requested members, and null removes a limit', async () => {
  assert.deepEqual(read({}), {})
  assert.deepEqual(
    read({ expires_at: null, models: null, monthly_budget_usd: null, thresholds: null, requests_per_minute: null }),
    {
      expiresAt: null,
      models: null,
      monthlyBudgetNanos: null,
      thresholds: null,
      requestsPerMinute: null
    }
  )
})

test('thresholds are stored in order', async () => {
  assert.deepEqual(read({ thresholds: [100, 25, 75] }), { thresholds: [25, 75, 100] })
  assert.deepEqual(read({ thresholds: [] }), { thresholds: [] })
})

test('an expiry must be in the future, in any notation', async () => {
  assert.deepEqual(read({ expires_at: '2026-11-21T14:00:01+02:00' }), { expiresAt: new Date('2026-11-21T12:00:01Z') })
  for (const past of [
    '2026-11-21T12:00:00Z',
    '2020-01-01T00:00:00Z',
    '2026-12-31T23:59:60Z',
    '9999-12-31T23:59:59-01:00'
  ]) {
    assert.throws(() => read({ expires_at: past }), refusedFor('expires_at'), past)
  }
})

test('a key cannot have a model that its plan lacks', async () => {
  assert.deepEqual(read({ models: ['small'] }), { models: ['small'] })
  assert.throws(() => read({ models: ['small', 'large'] }), refusedFor('models'))
  assert.throws(() => read({ models: ['constructor'] }), refusedFor('models'))
  assert.deepEqual(readKeyTerms({ models: ['large'] }, testCatalog, 'pro', now), { models: ['large'] })
  const { small, large } = testCatalog.models
  const models = { small: { ...small!, aliases: ['us/small'] }, large: { ...large!, aliases: ['us/large'] } }
  const readAlias = (alias: string) => () => readKeyTerms({ models: [alias] }, { ...testCatalog, models }, 'free', now)
  assert.throws(readAlias('us/small'), /us\/small is an alias. Name its model, small/)
  assert.throws(readAlias('us/large'), /us\/large is not in the plan/, 'what it means is not disclosed')
})

test('a budget is exact to the nanodollar, and more decimals are refused', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e15 }), (nanos) => {
      assert.deepEqual(read({ monthly_budget_usd: nanos / 1e9 }), { monthlyBudgetNanos: nanos })
    })
  )
  assert.throws(() => read({ monthly_budget_usd: 0.1234567891 }), refusedFor('monthly_budget_usd'))
})

test('a cursor restores its place, and any other text is refused', async () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 31 }), (seconds) => {
      const place = { createdAt: new Date(seconds * 1000), id: newKeyId() }
      assert.deepEqual(readKeyCursor(writeKeyCursor(place)), place)
    })
  )
  fc.assert(fc.property(fc.string(), (text) => void assert.equal(readKeyCursor(text), null)))
  const far = Buffer.from(`999999999999999.${newKeyId()}`).toString('base64url')
  assert.equal(readKeyCursor(far), null)
})
