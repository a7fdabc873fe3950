import assert from 'node:assert/strict'
import { test } from 'tap'
import type { keys } from '../database/schema/keys.ts'
import { changedValues } from './changed-values.ts'

const row = {
  label: 'ci',
  expiresAt: null,
  models: null,
  monthlyBudgetNanos: 5e9,
  thresholds: null,
  requestsPerMinute: 60,
  metadata: { tenant: 'acme' },
  createdAt: new Date(0)
} as unknown as typeof keys.$inferSelect

test('a changed setting has its old and its new value, and the others have none', async () => {
  assert.deepEqual(changedValues(row, row), {})
  assert.deepEqual(changedValues(row, { ...row, label: 'app', monthlyBudgetNanos: 500e9, thresholds: [50, 100] }), {
    ...{ label_before: 'ci', label: 'app' },
    ...{ monthly_budget_usd_before: 5, monthly_budget_usd: 500 },
    ...{ thresholds_before: null, thresholds: '50, 100' }
  })
  assert.deepEqual(
    changedValues(row, { ...row, expiresAt: new Date('2026-11-23T00:00:00Z'), requestsPerMinute: null }),
    {
      ...{ expires_at_before: null, expires_at: '2026-11-23T00:00:00.000Z' },
      ...{ requests_per_minute_before: 60, requests_per_minute: null }
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
