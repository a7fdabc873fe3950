import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { changedTerms } from './changed-terms.ts'
import type { Key, KeyTerms } from './read-key-form.ts'

const present = {
  label: ' Production ',
  expires_at: '2026-05-01T10:20:30.000Z',
  monthly_budget_usd: 5,
  requests_per_minute: null,
  models: ['b', 'a'],
  metadata: { tenant: 'acme', stage: 'live' }
} as unknown as Key
const typed: KeyTerms = {
  label: 'Production',
  expires_at: '2026-05-01T10:20:30.000Z',
  monthly_budget_usd: 5,
  requests_per_minute: null,
  models: ['a', 'b'],
  metadata: { stage: 'live', tenant: 'acme' }
}

test('a form in which nothing was changed changes nothing, not even the order', async () => {
  assert.deepEqual(changedTerms(present, typed), {})
})

test('an expired key can be renamed: its expiry is not sent again', async () => {
  assert.deepEqual(changedTerms(present, { ...typed, label: 'Old' }), { label: 'Old' })
})

test('exactly what was changed is sent', async () => {
  const others: KeyTerms = {
    label: 'Other',
    expires_at: null,
    monthly_budget_usd: null,
    requests_per_minute: 1,
    models: null,
    metadata: { tenant: 'acme' }
  }
  const names = Object.keys(others) as Array<keyof KeyTerms>
  fc.assert(
    fc.property(fc.subarray(names), (changed) => {
      const sent = Object.fromEntries(changed.map((name) => [name, others[name]]))
      assert.deepEqual(changedTerms(present, { ...typed, ...sent }), sent)
    })
  )
})
