import assert from 'node:assert/strict'
import { test } from 'tap'
import { formatDay } from '../../format/time.ts'
import { describeNextCharge } from './describe-plan.ts'

const at = '2026-12-25T12:00:00.000Z'
const day = formatDay(new Date(at))
const plan = { cancel_at: null, renews_at: null }

test('the next charge has its amount and day', async () => {
  const say = (amount: number, currency = 'usd') => describeNextCharge({ amount, currency, at }, plan)
  assert.equal(say(2000), `Next charge: $20.00 on ${day}.`)
  assert.equal(say(2000, 'jpy'), `Next charge: ¥2,000 on ${day}.`)
  assert.equal(say(0), `Next charge: nothing. Your credit or discount covers the invoice of ${day}.`)
})

test('a charge at the renewal has no day of its own, which can be the next one', async () => {
  const renewing = { ...plan, renews_at: '2026-12-25T11:00:00.000Z' }
  assert.equal(describeNextCharge({ amount: 2000, currency: 'usd', at }, renewing), 'Next charge: $20.00.')
  assert.match(describeNextCharge({ amount: 0, currency: 'usd', at }, renewing), /covers the next invoice\.$/)
})

test('it is said plainly if nothing will be charged, or if it is not known', async () => {
  assert.equal(describeNextCharge(null, plan), 'Nothing will be charged.')
  assert.equal(describeNextCharge(null, { ...plan, cancel_at: at }), 'Nothing more will be charged.')
  assert.match(describeNextCharge('unknown', plan), /not known right now/)
})
