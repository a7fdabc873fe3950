import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeOverQuota } from './over-quota.ts'

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
