import assert from 'node:assert/strict'
import { test } from 'tap'
import { judgeSetup, type SetupFacts } from '../accounts/setup-routes.ts'

const fresh: SetupFacts = {
  role: 'owner',
  hasKey: false,
  hasUsage: false,
  hasInvited: false,
  seatLimit: 1,
  isOnFreePlan: true,
  arePlansOnSale: true
}
const told = (changed: Partial<SetupFacts>) =>
  judgeSetup({ ...fresh, ...changed }).map(({ step, done }) => `${step}${done ? ' done' : ''}`)

test('a new owner has a confirmed address and three steps to go', async () => {
  assert.deepEqual(told({}), ['confirm_address done', 'create_key', 'first_call', 'choose_plan'])
})

test('each fact completes its own step', async () => {
  assert.deepEqual(told({ hasKey: true, hasUsage: true, isOnFreePlan: false }), [
    'confirm_address done',
    'create_key done',
    'first_call done',
    'choose_plan done'
  ])
})

test('only plans with seats ask for an invitation', async () => {
  const steps = (changed: Partial<SetupFacts>) => told(changed).filter((step) => step.startsWith('invite'))
  assert.deepEqual(steps({ seatLimit: 1 }), [])
  assert.deepEqual(steps({ seatLimit: 2 }), ['invite_member'])
  assert.deepEqual(steps({ seatLimit: null, hasInvited: true }), ['invite_member done'])
})

test('a member neither invites nor pays, and without prices nobody chooses a plan', async () => {
  assert.deepEqual(told({ role: 'seat', seatLimit: null }), ['confirm_address done', 'create_key', 'first_call'])
  assert.deepEqual(told({ arePlansOnSale: false }), ['confirm_address done', 'create_key', 'first_call'])
})
