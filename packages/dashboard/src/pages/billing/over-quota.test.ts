import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeOverQuota, describeOverSeats } from './over-quota.ts'

test('keys up to the number of the plan need no words', async () => {
  assert.equal(describeOverQuota({ limit: null, in_use: 100 }), null)
  assert.equal(describeOverQuota({ limit: 5, in_use: 5 }), null)
})

test('keys above the number of the plan are counted, and how many to revoke', async () => {
  const told = describeOverQuota({ limit: 5, in_use: 8 })
  assert.equal(told?.title, 'You have 3 keys more than your plan allows')
  assert.match(told?.text ?? '', /allows 5 keys, and 8 are active\. All of them keep working\. .*revoke 4 or/)
  assert.equal(describeOverQuota({ limit: 1, in_use: 2 })?.title, 'You have 1 key more than your plan allows')
})

const at = '2026-11-25T12:00:00.000Z'
const team = (used: number, limit: number | null, open = 0) => ({
  seats: { used, limit },
  invitations: Array.from({ length: open }, (_, i) => ({ id: String(i), email: 'a@b.c', created: at, expires_at: at }))
})

test('a team that fits needs no words', async () => {
  for (const fitting of [team(1, 1), team(3, 3), team(2, 3, 5), team(9, null, 9)]) {
    assert.equal(describeOverSeats(fitting), null)
  }
})

test('invitations that nobody can accept are named', async () => {
  assert.deepEqual(describeOverSeats(team(1, 1, 1)), {
    title: 'Your plan has no free seat',
    text: 'Your open invitation cannot be accepted: withdraw it, or choose a plan with more seats.'
  })
  assert.match(describeOverSeats(team(1, 1, 2))?.text ?? '', /^Your 2 open invitations .* withdraw them/)
})

test('members above the number of the plan stay', async () => {
  const told = describeOverSeats(team(3, 1, 1))
  assert.equal(told?.title, 'Your team has 2 members more than your plan allows')
  assert.match(told?.text ?? '', /^Your plan has 1 seat, and 3 are in use\. All members stay\. .* Your open invitation/)
})
