import assert from 'node:assert/strict'
import { test } from 'tap'
import { stateOfAccount } from './describe-account.ts'

const team = { account_id: '0190b5c2-5f3e-7a54-9d0e-2b6a4f1c8e77', owner_email: 'ada@example.com' }

test('the account of a team’s member is not shown as suspended, unless it is for another reason, too', async () => {
  const badgeOf = (...of: Parameters<typeof stateOfAccount>) => stateOfAccount(...of)?.slice(0, 2)
  assert.equal(stateOfAccount({ suspended_for: [], team: null }), null)
  assert.deepEqual(badgeOf({ suspended_for: ['team'], team }), ['neutral', 'In the team of ada@example.com'])
  assert.deepEqual(badgeOf({ suspended_for: ['team', 'operator'], team }), ['danger', 'Suspended'])
  assert.deepEqual(badgeOf({ suspended_for: ['identity'], team: null }), ['danger', 'Suspended'])
  assert.deepEqual(badgeOf({ suspended_for: ['approval'], team: null }), ['warning', 'Waits for approval'])
})
