import assert from 'node:assert/strict'
import { test } from 'tap'
import { readAdjustment } from './read-forms.ts'

const form = (direction: string, amount_usd: string) => {
  const data = new FormData()
  for (const [name, value] of Object.entries({ direction, amount_usd, month: '2026-11' })) data.set(name, value)
  return data
}

test('a credit is below zero, a charge above', async () => {
  const [credit, charge] = [readAdjustment(form('credit', '12.50')), readAdjustment(form('charge', ' $0.000000001 '))]
  assert.deepEqual(credit, { ok: true, values: { amount_usd: -12.5, month: '2026-11' } })
  assert.deepEqual(charge, { ok: true, values: { amount_usd: 1e-9, month: '2026-11' } })
})

test('no amount, a sign, a comma between groups, too many decimals and too much money are refused', async () => {
  for (const text of ['', '0', '-5', '12,34.5', '1e3', '0.0000000001', '1000001']) {
    assert.equal(readAdjustment(form('charge', text)).ok, false, text)
  }
})
