import assert from 'node:assert/strict'
import { test } from 'tap'
import { formatDay } from '../../format/time.ts'
import { describeNextCharge } from './describe-next-charge.ts'

const at = '2026-12-25T12:00:00.000Z'
const day = formatDay(new Date(at))

test('the next charge has its amount and day', async () => {
  const say = (amount: number, currency = 'usd') => describeNextCharge({ amount, currency, at }, false)
  assert.equal(say(2000), `Next charge: $20.00 on ${day}.`)
  assert.equal(say(2000, 'jpy'), `Next charge: ¥2,000 on ${day}.`)
  assert.equal(say(0), `Next charge: nothing. Your credit or discount covers the invoice of ${day}.`)
})

test('it is said plainly if nothing will be charged, or if it is not known', async () => {
  assert.equal(describeNextCharge(null, false), 'Nothing will be charged.')
  assert.equal(describeNextCharge(null, true), 'Nothing more will be charged.')
  assert.match(describeNextCharge('unknown', false), /not known right now/)
})
