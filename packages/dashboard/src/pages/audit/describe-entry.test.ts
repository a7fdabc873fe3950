import assert from 'node:assert/strict'
import { auditActions } from '@tollgate/contracts/audit/audit-actions.ts'
import { test } from 'tap'
import {
  type AuditEntry,
  describeActor,
  describeDetail,
  describedActions,
  describeRest,
  describeSentence
} from './describe-entry.ts'

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

test('every action that control records is a sentence, and an unknown one is shown by its name', async () => {
  const known = new Map<string, string>(describedActions)
  assert.deepEqual([...known.keys()].sort(), [...auditActions].sort())
  for (const action of auditActions) {
    assert.match(describeSentence({ ...entry, action, detail: {} }), /^ada@example\.com [a-z][^.]+\.$/, action)
  }
  assert.equal(known.get('key.created'), 'Created a key')
  assert.equal(describeSentence({ ...entry, action: 'key.painted' }), 'ada@example.com key.painted.')
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

test('a change of something with a name is a sentence, without the id', async () => {
  const told = (changed: Partial<AuditEntry>) => {
    const text = describeSentence({ ...entry, ...changed })
    return text.replaceAll(/[\u2066-\u2069]/g, '')
  }
  assert.equal(told({ detail: { label: 'ci' } }), 'ada@example.com created the key “ci”.')
  assert.equal(
    told({ action: 'key.revoked', actor_id: null, actor_email: null, detail: { label: 'ci', by_key: 'key_2' } }),
    'A management key revoked the key “ci”.'
  )
  assert.equal(
    told({ action: 'team.invited', detail: { email: 'bob@example.com' } }),
    'ada@example.com invited “bob@example.com”.'
  )
  assert.equal(
    told({ action: 'account.updated', detail: { monthly_budget_usd: 5 } }),
    'ada@example.com set the monthly budget to $5.00.'
  )
  assert.equal(
    told({ action: 'plan.changed', actor_id: null, actor_email: null, detail: { from: 'free', to: 'pro' } }),
    'This service changed the plan from free to pro.'
  )
  assert.equal(told({ action: 'auth.login', detail: {} }), 'ada@example.com signed in.')
  assert.equal(told({ detail: { label: '' } }), 'ada@example.com created a key.')
})

test('a sentence leaves out what it says, and keeps the rest', async () => {
  const rotated = { ...entry, action: 'key.rotated', detail: { label: 'ci', grace_seconds: 60 } }
  assert.deepEqual(describeRest(rotated), [['the old value works for', '1 minute']])
})
