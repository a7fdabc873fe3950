import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeInviter, describeSubscription, nameInviter } from './describe-invitation.ts'

const by = (name: string) => ({
  invited_by: { name, email: 'olive@example.com' },
  expires_at: '2026-12-01T00:00:00.000Z'
})

test('an inviter is named, always with the address', async () => {
  assert.equal(nameInviter(by('Olive Owner')), 'Olive Owner')
  assert.equal(describeInviter(by('Olive Owner')), 'Olive Owner (olive@example.com)')
})

test('an inviter without a name has the address', async () => {
  for (const name of ['', ' ']) {
    assert.equal(nameInviter(by(name)), 'olive@example.com')
    assert.equal(describeInviter(by(name)), 'olive@example.com')
  }
})

const free = {
  id: 'free',
  name: 'Free',
  entitlements: [],
  past_due: false,
  renews_at: null,
  cancel_at: null,
  price_id: null
}
const day = '2026-12-25T12:00:00.000Z'

test('people without a subscription can join', async () => {
  assert.equal(describeSubscription(free, false), null)
  assert.equal(describeSubscription(undefined, false), null)
})

test('people with a subscription must cancel it, whatever plan is in force', async () => {
  const paid = { ...free, price_id: 'price_pro', renews_at: day }
  for (const plan of [paid, { ...free, renews_at: day }, { ...free, past_due: true }]) {
    assert.match(describeSubscription(plan, false) ?? '', /^Cancel your own subscription first\./)
  }
  assert.match(describeSubscription(free, true) ?? '', /^Cancel/, 'the plan does not show the subscription')
  assert.match(describeSubscription(undefined, true) ?? '', /^Cancel/)
})

test('people who cancelled read when they can join', async () => {
  const text = describeSubscription({ ...free, price_id: 'price_pro', cancel_at: day }, true)
  assert.match(text ?? '', /ends on Dec 25, 2026\. You can join the team after that day\./)
})
