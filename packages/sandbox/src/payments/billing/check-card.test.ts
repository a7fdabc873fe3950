import assert from 'node:assert/strict'
import { test } from 'tap'
import { StripeApiError } from '../errors.ts'
import { checkCard } from './check-card.ts'

const nowS = Date.parse('2026-11-21T00:00:00Z') / 1000
const card = (changes: object) => ({ number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123', ...changes })

test('a test card is accepted in every common spelling, and its number is not stored', async () => {
  for (const changes of [
    {},
    { number: '4242-4242-4242-4242' },
    { expiry: '1234' },
    { expiry: '12/2034' },
    { expiry: '12-34' }
  ]) {
    assert.deepEqual(checkCard(card(changes), nowS), {
      brand: 'visa',
      last4: '4242',
      expMonth: 12,
      expYear: 2034,
      isCharged: true
    })
  }
  assert.partialDeepStrictEqual(checkCard(card({ number: '4000000000000341' }), nowS), {
    last4: '0341',
    isCharged: false
  })
  assert.partialDeepStrictEqual(
    checkCard(card({ expiry: '11/26' }), nowS),
    { expMonth: 11 },
    'valid until the last day of its month'
  )
})

const refusals: [changes: object, param: string, code: string][] = [
  [{ number: '' }, 'number', 'incomplete_number'],
  [{ number: '4242 4242 4242 4241' }, 'number', 'invalid_number'],
  [{ number: 'four' }, 'number', 'invalid_number'],
  [{ number: '4000 0000 0000 0002' }, 'number', 'card_declined'],
  [{ number: '4000 0000 0000 9995' }, 'number', 'card_declined'],
  [{ number: '4111 1111 1111 1111' }, 'number', 'card_declined'],
  [{ expiry: '' }, 'exp_month', 'invalid_expiry_month'],
  [{ expiry: '13/34' }, 'exp_month', 'invalid_expiry_month'],
  [{ expiry: '10/26' }, 'exp_month', 'invalid_expiry_year'],
  [{ cvc: '' }, 'cvc', 'invalid_cvc'],
  [{ cvc: '12a' }, 'cvc', 'invalid_cvc']
]

for (const [changes, param, code] of refusals) {
  test(`${JSON.stringify(changes)} is refused at ${param}`, async () => {
    assert.throws(
      () => checkCard(card(changes), nowS),
      (error: unknown) => {
        assert.ok(error instanceof StripeApiError)
        const { type, code: actualCode, param: actualParam } = error.body
        assert.deepEqual([error.status, type, actualCode, actualParam], [402, 'card_error', code, param])
        return true
      }
    )
  })
}
