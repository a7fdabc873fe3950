import assert from 'node:assert/strict'
import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import { test } from 'tap'
import { openAlerts } from './open-alerts.ts'

const key = (id: string) => ({ id, label: id, scope: 'inference', metadata: {} })
const threshold = (percent: number, ofKey: string | null = null) => ({
  type: 'budget.threshold' as const,
  data: {
    ...{
      scope: ofKey === null ? 'account' : 'key',
      key: ofKey === null ? null : key(ofKey),
      month: '2026-11',
      percent
    },
    ...{ budget_usd: '10.00', spent_usd: '9.00' }
  }
})
const created = { type: 'key.created' as const, data: { key: key('a') } }
const failed = { type: 'payment.failed' as const, data: { invoice_id: null } }
let count = 0
const notice = (event: Pick<EventNotice, 'type' | 'data'>, seen = false): EventNotice => ({
  ...{ id: `event-${count++}`, at: '2026-11-25T12:00:00.000Z', seen },
  ...event
})
const alertsOf = (...notices: EventNotice[]) => openAlerts(notices).map(({ notice: { id } }) => id)

test('unread warnings are alerts; news and read notices are not', async () => {
  const payment = notice(failed)
  assert.deepEqual(alertsOf(notice(created), payment, notice(threshold(50), true)), [payment.id])
})

test('only the newest threshold of each budget is an alert', async () => {
  const [account, ofA, ofB] = [notice(threshold(80)), notice(threshold(100, 'a')), notice(threshold(50, 'b'))]
  const found = alertsOf(account, ofA, notice(threshold(50)), notice(threshold(80, 'a')), ofB)
  assert.deepEqual(found, [account.id, ofA.id, ofB.id])
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
