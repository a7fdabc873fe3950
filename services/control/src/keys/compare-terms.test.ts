import assert from 'node:assert/strict'
import { test } from 'tap'
import type { keys } from '../database/schema/keys.ts'
import { hasTerms, isForPeopleOnly } from './compare-terms.ts'

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
  monthlyBudgetNanos: 12_345_678_901,
  thresholds: [50, 90],
  requestsPerMinute: null,
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
  for (const asked of [
    {},
    { label: 'one' },
    { paused: false },
    { expires_at: '2026-12-01T11:00:00.000+01:00' },
    { models: ['a', 'b'] },
    { monthly_budget_usd: 12.345678901 },
    { requests_per_minute: null },
    { thresholds: [90, 50] },
    { metadata: { order: '2', tenant: '1' } },
    { label: 'one', monthly_budget_usd: 12.345678901, requests_per_minute: null }
  ]) {
    assert.equal(hasTerms(key, asked), true, JSON.stringify(asked))
  }
})

test('any other value is a change', async () => {
  for (const asked of [
    { label: 'two' },
    { paused: true },
    { expires_at: '2026-12-01T10:00:00.001Z' },
    { expires_at: '2026-12-31T23:59:60Z' },
    { expires_at: null },
    { models: null },
    { models: ['a'] },
    { monthly_budget_usd: 0 },
    { monthly_budget_usd: null },
    { requests_per_minute: 1 },
    { metadata: {} },
    { label: 'one', requests_per_minute: 1 }
  ]) {
    assert.equal(hasTerms(key, asked), false, JSON.stringify(asked))
  }
})

test('label and metadata are for people; gateways use all other terms', async () => {
  for (const asked of [{ label: 'x' }, { metadata: {} }, { label: 'x', metadata: {} }]) {
    assert.equal(isForPeopleOnly(asked), true)
  }
  for (const asked of [{}, { label: 'x', models: null }, { expires_at: null }, { requests_per_minute: 1 }]) {
    assert.equal(isForPeopleOnly(asked), false)
  }
})
