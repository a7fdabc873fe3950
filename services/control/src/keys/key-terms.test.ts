import assert from 'node:assert/strict'
import type { ChangeKeyRequest } from '@tollgate/contracts/http/keys.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { newKeyId } from '../database/key-id.ts'
import type { keys } from '../database/schema/keys.ts'
import { changedValues } from './change-key.ts'
import { readKeyCursor, writeKeyCursor } from './key-search.ts'
import { hasTerms, isForPeopleOnly, readKeyTerms } from './key-terms.ts'
import { testCatalog } from './testing/catalog.ts'

const now = new Date('2026-11-21T12:00:00Z')
const read = (change: Parameters<typeof readKeyTerms>[0]) => readKeyTerms(change, testCatalog, 'free', now)
const refusedFor = (field: string) => (error: unknown) =>
  (error as { code: string }).code === 'invalid_request' && (error as Error).message.startsWith(`${field}: `)

test('the terms contain only the requested members, and null removes a limit', async () => {
  assert.deepEqual(read({}), {})
  assert.deepEqual(
    read({
      expires_at: null,
      models: null,
      monthly_budget_usd: null,
      thresholds: null,
      requests_per_minute: null,
      tokens_per_minute: null,
      concurrent_requests: null
    }),
    {
      expiresAt: null,
      models: null,
      monthlyBudgetNanos: null,
      thresholds: null,
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrentRequests: null
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

test('an address that is not valid is refused by its text', async () => {
  const addresses = ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32']
  assert.deepEqual(read({ addresses }), { addresses })
  assert.throws(
    () => read({ addresses: [...addresses, '10.0.0.0/33'] }),
    /addresses: 10\.0\.0\.0\/33 is not an IP address/
  )
  assert.throws(() => read({ addresses: ['example.com'] }), refusedFor('addresses'))
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

const row = {
  label: 'ci',
  expiresAt: null,
  models: null,
  addresses: null,
  monthlyBudgetNanos: 5e9,
  budgets: [],
  thresholds: null,
  requestsPerMinute: 60,
  tokensPerMinute: null,
  concurrentRequests: 4,
  metadata: { tenant: 'acme' },
  createdAt: new Date(0)
} as unknown as typeof keys.$inferSelect

test('a changed setting has its old and its new value, and the others have none', async () => {
  assert.deepEqual(changedValues(row, row), {})
  assert.deepEqual(changedValues(row, { ...row, label: 'app', monthlyBudgetNanos: 500e9, thresholds: [50, 100] }), {
    label_before: 'ci',
    label: 'app',
    monthly_budget_usd_before: 5,
    monthly_budget_usd: 500,
    thresholds_before: null,
    thresholds: '50, 100'
  })
  assert.deepEqual(
    changedValues(row, {
      ...row,
      expiresAt: new Date('2026-11-23T00:00:00Z'),
      requestsPerMinute: null,
      tokensPerMinute: 40_000,
      concurrentRequests: 5
    }),
    {
      expires_at_before: null,
      expires_at: '2026-11-23T00:00:00.000Z',
      requests_per_minute_before: 60,
      requests_per_minute: null,
      tokens_per_minute_before: null,
      tokens_per_minute: 40_000,
      concurrent_requests_before: 4,
      concurrent_requests: 5
    }
  )
})

test('long lists are cut, and metadata is left out', async () => {
  const models = Array.from({ length: 500 }, (_, n) => `${n}`.padStart(200, 'm'))
  const changed = changedValues({ ...row, models }, { ...row, models: [], metadata: { tenant: 'other' } })
  assert.deepEqual(Object.keys(changed), ['models_before', 'models'])
  assert.equal(String(changed.models_before).length, 201)
  assert.equal(changed.models, '')
})

const key: typeof keys.$inferSelect = {
  id: 'key_1',
  accountId: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11',
  createdBy: null,
  label: 'one',
  scope: 'inference',
  prefix: 'abcdefgh',
  digest: 'digest',
  status: 'active',
  paused: false,
  previousDigest: null,
  previousUntil: null,
  expiresAt: new Date('2026-12-01T10:00:00Z'),
  models: ['a', 'b'],
  addresses: ['203.0.113.7'],
  monthlyBudgetNanos: 12_345_678_901,
  budgets: [{ id: 1, window: 'day', nanos: 2e9, models: ['a', 'b'] }],
  exhaustedModel: null,
  thresholds: [50, 90],
  requestsPerMinute: null,
  tokensPerMinute: 40_000,
  concurrentRequests: null,
  sessionId: null,
  metadata: { tenant: '1', order: '2' },
  accountShard: 'a00',
  secretShard: 'k00',
  cutStreams: false,
  version: 1,
  createdAt: new Date(0),
  revokedAt: null,
  lastUsedAt: null
}

test('a change to the current values changes nothing, in any notation', async () => {
  const changes: ChangeKeyRequest[] = [
    {},
    { label: 'one' },
    { paused: false },
    { expires_at: '2026-12-01T11:00:00.000+01:00' },
    { models: ['a', 'b'] },
    { addresses: ['203.0.113.7'] },
    { monthly_budget_usd: 12.345678901 },
    {
      budgets: [
        { window: 'month', limit_usd: 12.345678901 },
        { window: 'day', limit_usd: 2, models: ['b', 'a'] }
      ]
    },
    { requests_per_minute: null },
    { tokens_per_minute: 40_000 },
    { concurrent_requests: null },
    { thresholds: [90, 50] },
    { metadata: { order: '2', tenant: '1' } },
    { label: 'one', monthly_budget_usd: 12.345678901, requests_per_minute: null }
  ]
  for (const change of changes) {
    assert.equal(hasTerms(key, change), true, JSON.stringify(change))
  }
})

test('any other value is a change', async () => {
  for (const change of [
    { label: 'two' },
    { paused: true },
    { expires_at: '2026-12-01T10:00:00.001Z' },
    { expires_at: '2026-12-31T23:59:60Z' },
    { expires_at: null },
    { models: null },
    { models: ['a'] },
    { addresses: null },
    { addresses: ['203.0.113.7', '203.0.113.8'] },
    { monthly_budget_usd: 0 },
    { monthly_budget_usd: null },
    { budgets: [] },
    { requests_per_minute: 1 },
    { tokens_per_minute: null },
    { concurrent_requests: 1 },
    { metadata: {} },
    { label: 'one', requests_per_minute: 1 }
  ]) {
    assert.equal(hasTerms(key, change), false, JSON.stringify(change))
  }
})

test('label and metadata are for people; gateways judge requests by all other terms', async () => {
  for (const change of [{ label: 'x' }, { metadata: {} }, { label: 'x', metadata: {} }]) {
    assert.equal(isForPeopleOnly(change), true)
  }
  for (const change of [
    {},
    { label: 'x', models: null },
    { expires_at: null },
    { requests_per_minute: 1 },
    { tokens_per_minute: 1 },
    { concurrent_requests: 1 }
  ]) {
    assert.equal(isForPeopleOnly(change), false)
  }
})
