import assert from 'node:assert/strict'
import { test } from 'tap'
import { type AuditEntry, describeAction, describeActor, describeDetail } from './describe-entry.ts'

const entry: AuditEntry = {
  id: '1',
  at: '2026-05-05T12:00:00Z',
  action: 'key.created',
  actor_id: 'a',
  actor_email: 'ada@example.com',
  subject: 'key_1',
  detail: { monthly_budget_usd: null, label: '<b>x</b>' },
  ip: '127.0.0.1'
}

test('an action is described in words, and an unknown action by its name', async () => {
  assert.equal(describeAction('key.created'), 'Created a key')
  assert.equal(describeAction('subscription.changed'), 'Subscription changed')
  assert.equal(describeAction('key.painted'), 'key.painted')
})

test('every entry names an actor, even without an e-mail address', async () => {
  assert.equal(describeActor(entry), 'ada@example.com')
  assert.equal(describeActor({ ...entry, actor_email: null }), 'A deleted user')
  assert.equal(describeActor({ ...entry, actor_id: null, actor_email: null }), 'This service')
  assert.equal(
    describeActor({ ...entry, actor_id: null, actor_email: null, detail: { by_key: 'key_2' } }),
    'A management key'
  )
})

test('details are pairs of text', async () => {
  assert.deepEqual(describeDetail(entry), [
    ['monthly budget usd', 'none'],
    ['label', '<b>x</b>'],
    ['id', 'key_1']
  ])
})
