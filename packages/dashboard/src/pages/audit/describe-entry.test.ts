import assert from 'node:assert/strict'
import { auditActions } from '@tollgate/contracts/audit/audit-actions.ts'
import { test } from 'tap'
import {
  type AuditEntry,
  describeActor,
  describeDetail,
  describedActions,
  describeRest,
  describeSentence,
  type Part
} from './describe-entry.ts'

const textOf = (parts: readonly Part[]): string =>
  parts
    .map(({ text }) => text)
    .join('')
    .replaceAll(/[\u2066-\u2069]/g, '')
const linksOf = (parts: readonly Part[]) => parts.filter(({ to }) => to !== undefined)
const restOf = (told: AuditEntry) => describeRest(told).map(([name, value]) => [name, textOf([value])])

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
  const sentences = new Map<string, string>(describedActions)
  assert.deepEqual([...sentences.keys()].sort(), [...auditActions].sort())
  for (const action of auditActions) {
    assert.match(textOf(describeSentence({ ...entry, action, detail: {} })), /^ada@example\.com [a-z][^.]+\.$/, action)
  }
  assert.equal(sentences.get('key.created'), 'Created a key')
  assert.equal(textOf(describeSentence({ ...entry, action: 'key.painted' })), 'ada@example.com key.painted.')
})

test('every entry names an actor, even without an e-mail address', async () => {
  assert.equal(describeActor(entry), 'ada@example.com')
  assert.equal(describeActor({ ...entry, actor_email: null }), 'A deleted user')
  assert.equal(describeActor({ ...entry, actor_id: null, actor_email: null }), 'This service')
})

test('details are pairs of text', async () => {
  assert.deepEqual(describeDetail(entry), [
    ['monthly budget', 'none'],
    ['label', '“\u2068<b>x</b>\u2069”'],
    ['id', 'key_1']
  ])
})

test('a change of something with a name is a sentence, without the id', async () => {
  const told = (changed: Partial<AuditEntry>) => textOf(describeSentence({ ...entry, ...changed }))
  assert.equal(told({ detail: { label: 'ci' } }), 'ada@example.com created the key “ci”.')
  const paused = { paused_before: false, paused: true, label: 'ci', changed: 'paused' }
  const update = { action: 'key.updated', detail: paused } as const
  assert.equal(told(update), 'ada@example.com paused the key “ci”.')
  assert.deepEqual(describeRest({ ...entry, ...update }), [])
  const resumed = { ...paused, paused_before: true, paused: false }
  assert.equal(told({ ...update, detail: resumed }), 'ada@example.com resumed the key “ci”.')
  const both = { ...paused, changed: 'models, paused', models_before: null, models: 'gpt-5' }
  assert.equal(told({ ...update, detail: both }), 'ada@example.com changed the key “ci”.')
  assert.ok(
    describeRest({ ...entry, ...update, detail: both }).some(
      ([name, { text }]) => name === 'paused' && text === 'from no to yes'
    )
  )
  assert.equal(
    told({ action: 'key.revoked', actor_id: null, actor_email: null, detail: { label: 'ci', by_key: 'key_2' } }),
    'The management key key_2 revoked the key “ci”.'
  )
  assert.equal(
    told({ action: 'team.invited', detail: { email: 'bob@example.com' } }),
    'ada@example.com invited “bob@example.com”.'
  )
  assert.equal(
    told({ action: 'account.updated', detail: { monthly_budget_usd: 5 } }),
    'ada@example.com set the monthly budget to $5.00.'
  )
  const budget = { monthly_budget_usd: 500, monthly_budget_usd_before: 5 }
  assert.equal(
    told({ action: 'account.updated', detail: budget }),
    'ada@example.com changed the monthly budget from $5.00 to $500.00.'
  )
  assert.equal(
    told({ action: 'account.updated', detail: { ...budget, monthly_budget_usd: null } }),
    'ada@example.com removed their own monthly budget of $5.00.'
  )
  const day = '$5 a day for small and large'
  const budgets = (budgets_before: string, budgets: string) =>
    told({ action: 'account.updated', detail: { budgets_before, budgets } })
  assert.equal(budgets('', day), `ada@example.com set the account’s budgets to ${day}.`)
  assert.equal(budgets(day, '$3 for ever'), `ada@example.com changed the account’s budgets from ${day} to $3 for ever.`)
  assert.equal(budgets(day, ''), `ada@example.com removed the account’s budgets of ${day}.`)
  assert.deepEqual(
    describeRest({ ...entry, action: 'account.updated', subject: null, detail: { budgets_before: '', budgets: day } }),
    []
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
  assert.deepEqual(restOf(rotated), [['the old value works for', '1 minute']])
})

test('a changed key has its old and new values, and an entry without values names what changed', async () => {
  const restOfChange = (detail: AuditEntry['detail']) => restOf({ ...entry, action: 'key.updated', detail })
  assert.deepEqual(
    restOfChange({
      label: 'app',
      label_before: 'ci',
      changed: 'label, models, metadata, monthly_budget_usd',
      models: 'gpt-5',
      models_before: null,
      monthly_budget_usd: 500,
      monthly_budget_usd_before: 5
    }),
    [
      ['label', 'from “ci” to “app”'],
      ['changed', 'metadata'],
      ['models', 'from all models in the plan to gpt-5'],
      ['monthly budget', 'from $5.00 to $500.00']
    ]
  )
  assert.deepEqual(restOfChange({ label: 'ci', changed: 'budgets', budgets: '$5 a day', budgets_before: null }), [
    ['other budgets', 'from none to $5 a day']
  ])
  assert.deepEqual(
    restOfChange({
      label: 'ci',
      changed: 'concurrent_requests, on_exhausted, tokens_per_minute',
      tokens_per_minute: 40_000,
      tokens_per_minute_before: null,
      concurrent_requests: null,
      concurrent_requests_before: 3,
      on_exhausted: 'gpt-5-nano',
      on_exhausted_before: null
    }),
    [
      ['tokens per minute', 'from the plan default to 40,000'],
      ['concurrent requests', 'from 3 to the plan default'],
      ['when a budget is used up', 'from refuse requests to use gpt-5-nano']
    ]
  )
  assert.deepEqual(restOfChange({ label: 'ci', changed: 'models, monthly_budget_usd' }), [
    ['changed', 'models, monthly budget']
  ])
})

test('what still exists is a link, and the management key that acted too', async () => {
  const by = { actor_id: null, actor_email: null, actor_key_label: 'server', subject_exists: true }
  const revoked = { ...entry, ...by, action: 'key.revoked', detail: { label: 'ci', by_key: 'key_2' } }
  const parts = describeSentence(revoked)
  assert.equal(textOf(parts), 'The management key “server” revoked the key “ci”.')
  assert.deepEqual(
    linksOf(parts).map(({ to }) => to),
    ['/dashboard/keys/key_2', '/dashboard/keys/key_1']
  )
  assert.deepEqual(linksOf(describeSentence({ ...revoked, actor_key_label: null, subject_exists: false })), [])
  const joined = { ...entry, action: 'team.joined', detail: {}, subject: 'u', subject_exists: true }
  assert.deepEqual(describeRest(joined), [['id', { text: 'u', to: '/dashboard/team' }]])
})

test('what an operator gave is told in words: amounts, months, and when it ends', async () => {
  const told = (detail: AuditEntry['detail']) => describeDetail({ detail, subject: null })
  assert.deepEqual(told({ amount_usd: '-500.000000001', month: '2026-11' }), [
    ['amount', 'credit of $500.00'],
    ['month', 'November 2026']
  ])
  assert.deepEqual(told({ plan: 'enterprise', plan_ends_at: null, monthly_budget_usd: 501, limits_end_at: null }), [
    ['plan', 'enterprise'],
    ['plan ends', 'never'],
    ['monthly budget', '$501.00'],
    ['limits end', 'never']
  ])
})
