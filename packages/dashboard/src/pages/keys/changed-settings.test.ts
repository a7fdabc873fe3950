import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { changedSettings } from './changed-settings.ts'
import type { Key, KeySettings } from './read-key-form.ts'

const present = {
  label: ' Production ',
  expires_at: '2026-05-01T10:20:30.000Z',
  monthly_budget_usd: 5,
  requests_per_minute: null,
  thresholds: [50, 100],
  models: ['b', 'a'],
  metadata: { tenant: 'acme', stage: 'live' }
} as unknown as Key
const typed: KeySettings = {
  label: 'Production',
  expires_at: '2026-05-01T10:20:30.000Z',
  monthly_budget_usd: 5,
  requests_per_minute: null,
  thresholds: [50, 100],
  models: ['a', 'b'],
  metadata: { stage: 'live', tenant: 'acme' }
}

test('an unchanged form sends nothing, whatever the order of its values', async () => {
  assert.deepEqual(changedSettings(present, typed), {})
})

test('an expired key can be renamed, because its expiry is not sent again', async () => {
  assert.deepEqual(changedSettings(present, { ...typed, label: 'Old' }), { label: 'Old' })
})

test('exactly the changed fields are sent', async () => {
  const others: KeySettings = {
    label: 'Other',
    expires_at: null,
    monthly_budget_usd: null,
    requests_per_minute: 1,
    thresholds: [],
    models: null,
    metadata: { tenant: 'acme' }
  }
  const names = Object.keys(others) as Array<keyof KeySettings>
  fc.assert(
    fc.property(fc.subarray(names), (changed) => {
      const sent = Object.fromEntries(changed.map((name) => [name, others[name]]))
      assert.deepEqual(changedSettings(present, { ...typed, ...sent }), sent)
    })
  )
})
