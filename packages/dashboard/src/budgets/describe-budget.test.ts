import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeReset, describeUse, isMonthly } from './describe-budget.ts'

const use = { spent_usd: '1.20', reserved_usd: '0.05', remaining_usd: '3.75', resets_at: null, used_up_at: null }

test('what is used of a budget is told with what is reserved and left', async () => {
  assert.equal(describeUse(use), '$1.20 spent, $0.05 reserved, $3.75 left')
})

test('a budget resets on a day in UTC, or never; it is said when it will be used up', async () => {
  assert.equal(describeReset(use), 'Never resets.')
  assert.equal(describeReset({ ...use, resets_at: '2026-12-07T00:00:00.000Z' }), 'Resets on Dec 7, 2026 (UTC).')
  assert.equal(
    describeReset({ ...use, used_up_at: '2026-12-05T12:00:00.000Z' }),
    'Never resets. At the pace of the last days, it will be used up on Dec 5, 2026.'
  )
})

test('only a month for all models is the monthly budget', async () => {
  assert.ok(isMonthly({ window: 'month', models: null }))
  assert.ok(!isMonthly({ window: 'month', models: ['a'] }))
  assert.ok(!isMonthly({ window: 'week', models: null }))
})
