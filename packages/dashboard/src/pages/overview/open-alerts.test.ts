import assert from 'node:assert/strict'
import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import { test } from 'tap'
import { isStillOpen, keysOfAlerts, openAlerts } from './open-alerts.ts'

const key = (id: string) => ({ id, label: id, scope: 'inference', metadata: {} })
const threshold = (percent: number, ofKey: string | null = null) => ({
  type: 'budget.threshold' as const,
  data: {
    scope: ofKey === null ? 'account' : 'key',
    key: ofKey === null ? null : key(ofKey),
    month: '2026-11',
    percent,
    budget_usd: '10.00',
    spent_usd: '9.00'
  }
})
const created = { type: 'key.created' as const, data: { key: key('a') } }
const failed = { type: 'payment.failed' as const, data: { invoice_id: null } }
let count = 0
const notice = (event: Pick<EventNotice, 'type' | 'data'>, seen = false): EventNotice => ({
  id: `event-${count++}`,
  at: '2026-11-25T12:00:00.000Z',
  seen,
  ...event
})
const alertsOf = (...notices: EventNotice[]) => openAlerts(notices).map(({ notice: { id } }) => id)

test('unread warnings are alerts; news and read notices are not', async () => {
  const payment = notice(failed)
  assert.deepEqual(alertsOf(notice(created), payment, notice(threshold(50), true)), [payment.id])
})

test('only the newest threshold of each budget is an alert', async () => {
  const [account, ofA, ofB] = [notice(threshold(80)), notice(threshold(100, 'a')), notice(threshold(50, 'b'))]
  const ids = alertsOf(account, ofA, notice(threshold(50)), notice(threshold(80, 'a')), ofB)
  assert.deepEqual(ids, [account.id, ofA.id, ofB.id])
})

test('a suspension is an alert until the account is resumed for the same reason', async () => {
  const suspended = (reason: string) => notice({ type: 'account.suspended', data: { reason } })
  const resumed = (reason: string) => notice({ type: 'account.resumed', data: { reason } })
  const [byOperator, byIdentity] = [suspended('operator'), suspended('identity')]
  assert.deepEqual(alertsOf(byIdentity, byOperator), [byIdentity.id, byOperator.id])
  assert.deepEqual(alertsOf(resumed('operator'), byIdentity, byOperator), [byIdentity.id])
  assert.deepEqual(alertsOf(byOperator, resumed('operator'), suspended('operator')), [byOperator.id])
  assert.deepEqual(alertsOf(resumed('team'), suspended('team')), [])
})

test('refusals are an alert until they ended, each code for itself', async () => {
  const at = '2026-11-25T12:00:00.000Z'
  const refusedOnce = { requests: 1, since: at, last_at: at, needed_usd: null, left_usd: null, needed_tokens: null }
  const of = (type: 'requests.refused' | 'requests.refused_ended', code: string) =>
    notice({ type, data: { key: key('a'), code, reason: 'budget', ...refusedOnce } })
  const [ofKey, ofAccount] = [of('requests.refused', 'key_budget'), of('requests.refused', 'monthly_budget')]
  assert.deepEqual(alertsOf(ofKey, ofAccount), [ofKey.id, ofAccount.id])
  assert.deepEqual(alertsOf(of('requests.refused_ended', 'key_budget'), ofKey, ofAccount), [ofAccount.id])
})

test('the end of an old value is an alert while the key still has that old value', async () => {
  const until = '2026-11-25T13:00:00.000Z'
  const ending = notice({ type: 'key.grace_ending', data: { key: key('a'), old_secret_until: until } })
  const alerts = openAlerts([ending, notice(failed)])
  assert.deepEqual(keysOfAlerts(alerts), ['a'])
  const present = { id: 'a', status: 'active' as const, old_secret_until: until as string | null }
  const open = (changes: typeof present | { status: 'revoked' } | null | undefined, at = '2026-11-25T12:30:00.000Z') =>
    alerts
      .filter((alert) =>
        isStillOpen(
          alert,
          new Map(changes === undefined ? [] : [['a', changes && { ...present, ...changes }]]),
          new Date(at)
        )
      )
      .map(({ notice: { type } }) => type)
  assert.deepEqual(open(present), ['key.grace_ending', 'payment.failed'])
  assert.deepEqual(open(undefined), ['key.grace_ending', 'payment.failed'], 'the key is unknown')
  for (const closed of [
    open({ ...present, old_secret_until: null }),
    open({ ...present, old_secret_until: '2026-11-26T12:00:00.000Z' }),
    open({ status: 'revoked' }),
    open(null),
    open(present, until)
  ]) {
    assert.deepEqual(closed, ['payment.failed'])
  }
})
