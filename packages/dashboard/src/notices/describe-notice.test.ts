import assert from 'node:assert/strict'
import { accountEvents, operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import { test } from 'tap'
import { describeNotice } from './describe-notice.ts'

const key = { id: 'k1', label: 'Web', scope: 'inference', metadata: {} }
const spent = { month: '2026-11', budget_usd: '50.00', spent_usd: '40.00' }
const at = '2026-11-23T12:00:00.000Z'
const windowed = {
  scope: 'key',
  key,
  member_id: null,
  window: 'day',
  models: ['small', 'large'],
  percent: 100,
  budget_usd: '50.00',
  spent_usd: '40.00',
  resets_at: at
}
const refused = {
  key,
  code: 'key_budget_exceeded',
  reason: 'budget',
  since: at,
  last_at: at,
  requests: 12,
  model: 'm',
  needed_usd: '0.47',
  left_usd: '0.35',
  limit_usd: '1.00',
  needed_tokens: null,
  left_tokens: null,
  limit_tokens: null
}

/** An example of each type, and what its sentence must contain. */
const examples: Readonly<Record<string, readonly [data: object, told: RegExp]>> = {
  'budget.threshold': [
    { scope: 'account', key: null, percent: 80, ...spent },
    /^80 % .*account for November 2026.*\$40\.00 of \$50\.00\.$/
  ],
  'budget.window_threshold': [
    { ...windowed, percent: 80 },
    /^80 % of the daily budget of key “\u2068Web\u2069” for small, large is spent: \$40\.00 of \$50\.00\.$/
  ],
  'budget.window_forecast': [
    { ...windowed, used_up_at: at },
    /^The daily budget of key .* for small, large will probably not last: \$40\.00 of \$50\.00 .* used up at Nov 23, 2026.* It resets at/
  ],
  'budget.forecast': [{ ...spent, forecast_usd: '61.00' }, /not last.*\$61\.00 of \$50\.00/],
  'requests.refused': [refused, /^Key .* refuses requests: the budget has \$0\.35 left, and .* needs \$0\.47\.$/],
  'requests.refused_ended': [refused, /no longer refuses requests\. It refused 12 requests from Nov 23, 2026/],
  'key.created': [{ key }, /^Key “\u2068Web\u2069” was created\.$/],
  'key.rotated': [{ key, old_secret_until: at }, /new value\. The old value works until Nov 23, 2026/],
  'key.grace_ending': [{ key, old_secret_until: at }, /^The old value of .* stops working at Nov 23, 2026/],
  'key.expiring': [{ key, expires_at: at }, /expires at Nov 23, 2026/],
  'key.revoked': [
    { key: { ...key, scope: 'management', label: ' ' } },
    /^A management key without a label was revoked\.$/
  ],
  'plan.changed': [{ from: 'pro', to: 'team' }, /from pro to team/],
  'prices.rising': [
    {
      model: 'm',
      from: '2027-02-01T00:00:00.000Z',
      prices: [
        { kind: 'input', unit: '1M tokens', from_usd: '0.08', to_usd: '0.10' },
        { kind: 'cached_input', unit: '1M tokens', from_usd: '0.0025', to_usd: '0.005' }
      ]
    },
    /^The price of m rises on Feb 1, 2027 \(UTC\): input from \$0\.08 to \$0\.10 \/ 1M tokens, cached input from \$0\.0025 to \$0\.005 \/ 1M tokens\.$/
  ],
  'payment.failed': [{ invoice_id: null }, /payment failed/],
  'payment.unmatched': [
    { account_id: 'acc', subscription_id: 'sub_1', price_ids: ['price_1'] },
    /sub_1 was paid, but no plan has its price price_1/
  ],
  'payment.duplicate': [
    {
      account_id: 'acc',
      subscription_id: 'sub_1',
      price_ids: ['price_1'],
      kept_subscription_id: 'sub_2',
      kept_price_ids: ['price_2']
    },
    /^Two subscriptions were paid\. sub_2 is kept, sub_1 ends/
  ],
  'account.suspended': [{ reason: 'operator' }, /^The operator of this service suspended the account\. .*refused\.$/],
  'account.resumed': [{ reason: 'operator' }, /work again/],
  'webhook.disabled': [{ endpoint_id: 'e1', url: 'https://example.com' }, /example\.com.*disabled/],
  'webhook.test': [{ endpoint_id: 'e1' }, /test event/],
  'request.failed_over': [
    { model: 'm', from_upstream: 'a', to_upstream: 'b', minute: at, requests: 1 },
    /^a failed, so b answered 1 request for m/
  ],
  'provider.failing': [{ upstream: 'a', since: at, requests: 50, failed: 40 }, /40 of 50 calls failed/],
  'spend.unusual': [{ account_id: 'acc', hour: at, spent_usd: '12.00', usual_usd: '1.00' }, /\$12\.00.*\$1\.00/],
  'act.pending': [
    { pending_act_id: 'p1', account_id: 'acc', action: 'account.adjusted', ends_at: at },
    /^An adjustment of usage waits for a second operator until /
  ],
  'account.waiting': [{ waiting: 3 }, /^3 accounts wait for approval/]
}

test('what an operator did is told with their reason', async () => {
  const told = (type: string, data: object) => describeNotice({ type, data }).text
  assert.match(
    told('account.suspended', { reason: 'operator', note: 'an unpaid bill' }),
    /Reason: \u2068an unpaid bill\u2069$/
  )
  assert.match(
    told('key.revoked', { key, note: 'It leaked' }),
    /by the operator of this service\. Reason: \u2068It leaked\u2069$/
  )
})

test('every event type has a sentence of its own', async () => {
  for (const type of Object.keys({ ...accountEvents, ...operatorEvents })) {
    const [data, told] = examples[type] ?? []
    assert.ok(data !== undefined && told !== undefined, `an example of ${type}`)
    assert.match(describeNotice({ type, data }).text, told)
  }
})

test('a notice of refusals says what the reason needs, in dollars, tokens or words', async () => {
  const none = { needed_usd: null, left_usd: null, limit_usd: null }
  const told = (changed: object) => describeNotice({ type: 'requests.refused', data: { ...refused, ...changed } }).text
  assert.match(told({ code: 'request_budget_exceeded' }), /a request may cost \$0\.35, and .* needs \$0\.47\.$/)
  const rate = { ...none, code: 'tokens_per_minute', reason: 'rate', needed_tokens: 5000, limit_tokens: 4000 }
  assert.match(told(rate), /a minute has 4,000 tokens, and .* needs 5,000\.$/)
  assert.match(told({ ...none, code: 'model_not_allowed', reason: 'model' }), /refuses requests: it may not use m\.$/)
  assert.match(told({ ...none, code: 'free_spend_exhausted' }), /the free offer has reached its limit for today\.$/)
})

test('a used-up budget says so, and leads to the key, or to the page where budgets are changed', async () => {
  const data = { scope: 'key', key, percent: 100, ...spent }
  const { text, tone, link } = describeNotice({ type: 'budget.threshold', data })
  assert.match(text, /key “\u2068Web\u2069” for November 2026 is used up/)
  assert.deepEqual([tone, link?.to], ['danger', '/dashboard/keys/k1'])
  const ofAccount = { scope: 'account', key: null, percent: 100, ...spent }
  assert.equal(describeNotice({ type: 'budget.threshold', data: ofAccount }).link?.to, '/dashboard/billing')
})

test('a used-up budget with a window says whose it is, and until when requests are refused', async () => {
  const told = (changed: object) => {
    const data = { ...windowed, scope: 'member', key: null, member_id: 'u1', models: null, ...changed }
    return describeNotice({ type: 'budget.window_threshold', data }, false, (id) => (id === 'u1' ? 'Ada' : id)).text
  }
  assert.match(told({}), /^The daily budget of \u2068Ada\u2069 is used up: .*requests are refused until Nov 23, 2026/)
  const ofAccount = { scope: 'account', member_id: null, window: 'lifetime', models: ['small'], resets_at: null }
  assert.match(told(ofAccount), /^The lifetime budget of the account for small is .* requests for small are refused\.$/)
})

test('a notice about the spend of a month leads to the usage of that month', async () => {
  const data = { scope: 'account', key: null, percent: 80, ...spent }
  for (const told of [
    describeNotice({ type: 'budget.threshold', data }),
    describeNotice({ type: 'budget.forecast', data: { ...spent, forecast_usd: '61.00' } })
  ]) {
    assert.deepEqual(told.link?.search, { from: '2026-11-01', to: '2026-11-30' })
  }
})

test('joining and leaving a team are no alarm; other suspensions are', async () => {
  const told = (type: string, reason: string) => describeNotice({ type, data: { reason } })
  const joined = told('account.suspended', 'team')
  assert.match(joined.text, /^You joined a team\./)
  assert.equal(joined.tone, 'info')
  assert.match(told('account.resumed', 'team').text, /^You left your team, or its owner removed you\./)
  assert.match(told('account.suspended', 'identity').text, /its user is blocked or deleted/)
  for (const reason of ['operator', 'identity', 'deleted', 'later']) {
    assert.equal(told('account.suspended', reason).tone, 'danger', reason)
  }
})

test('a change of the plan names the plans', async () => {
  const nameOf = (id: string) => ({ pro: 'Pro', team: 'Team' })[id] ?? id
  const told = (from: string | null) =>
    describeNotice({ type: 'plan.changed', data: { from, to: 'pro' } }, false, nameOf)
  assert.equal(told('team').text, 'The plan changed from Team to Pro.')
  assert.equal(told('gone').text, 'The plan changed from gone to Pro.')
  assert.equal(told(null).text, 'The plan is Pro now.')
})

test('a type of a later version has a neutral sentence and no link', async () => {
  for (const type of ['tea.ready', 'toString']) {
    assert.deepEqual(describeNotice({ type, data: {} }), {
      text: `An event of the type ${type} happened.`,
      tone: 'info'
    })
  }
})

test('operators are led to their own webhook endpoints', async () => {
  const event = { type: 'webhook.disabled', data: { endpoint_id: 'e1', url: 'https://example.com' } }
  assert.equal(describeNotice(event).link?.to, '/dashboard/webhooks/e1')
  assert.equal(describeNotice(event, true).link?.to, '/dashboard/operator/webhooks/e1')
})
