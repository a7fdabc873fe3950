import assert from 'node:assert/strict'
import type { AdminLimits } from '@tollgate/contracts/http/admin/accounts.ts'
import { test } from 'tap'
import { readOwnLimits } from './read-forms.ts'

const ofPlan = { value: 10, from: 'plan', plan_value: 10, operator_value: null, ends_at: null } as const
const present: AdminLimits = {
  monthly_budget_usd: {
    value: 500,
    from: 'operator',
    plan_value: 10,
    operator_value: 500,
    ends_at: '2026-12-01T22:59:59.000Z'
  },
  request_budget_usd: ofPlan,
  requests_per_minute: ofPlan,
  tokens_per_minute: ofPlan,
  concurrent_requests: ofPlan,
  key_quota: ofPlan,
  price_group: { ...ofPlan, value: null, plan_value: null }
}
const now = new Date('2026-11-23T12:00:00Z')
const form = (fields: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

test('only filled fields are limits of the account', async () => {
  const data = form({ monthly_budget_usd: ' 12.50 ', key_quota: '0', requests_per_minute: '', ends_at: '' })
  assert.deepEqual(readOwnLimits(data, now, present), {
    ok: true,
    values: { monthly_budget_usd: 12.5, key_quota: 0, ends_at: null }
  })
})

test('an empty form gives the account the limits of its plan again', async () => {
  assert.deepEqual(readOwnLimits(form({ ends_at: '2026-12-24' }), now, present), { ok: true, values: null })
})

test('a limit that the API would refuse is a problem of its field', async () => {
  const data = form({ requests_per_minute: '0', tokens_per_minute: '1.5', key_quota: 'many', ends_at: '2026-11-01' })
  const reading = readOwnLimits(data, now, present)
  assert.ok(!reading.ok)
  assert.deepEqual(Object.keys(reading.problems).sort(), [
    'ends_at',
    'key_quota',
    'requests_per_minute',
    'tokens_per_minute'
  ])
})
