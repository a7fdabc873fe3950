import { cardDeclined, StripeApiError } from '../errors.ts'
import type { AcceptedCard } from '../objects/new-payment-method.ts'

/** The fields of a card form. */
export interface CardInput {
  number: string
  /** `MM / YY` or `MM / YYYY`. */
  expiry: string
  cvc: string
}

/** The card numbers that this server knows from Stripe's test mode, and their behaviour. */
const testCards = {
  '4242424242424242': { brand: 'visa', behaviour: 'pays' },
  '5555555555554444': { brand: 'mastercard', behaviour: 'pays' },
  '378282246310005': { brand: 'amex', behaviour: 'pays' },
  '4000000000000341': { brand: 'visa', behaviour: 'fails at renewal' },
  '4000000000000002': { brand: 'visa', behaviour: 'generic_decline' },
  '4000000000009995': { brand: 'visa', behaviour: 'insufficient_funds' }
} as const

type TestCard = (typeof testCards)[keyof typeof testCards]

const knownCards: ReadonlyMap<string, TestCard> = new Map(Object.entries(testCards))

/**
 * Accepts or declines a card at the time `nowS` (Unix seconds).
 *
 * The card that fails at renewal pays once, so that there is a subscription to renew. At Stripe its first payment fails, too.
 *
 * @throws StripeApiError 402 whose `param` is the field to correct: `number`, `exp_month` or `cvc`
 */
export function checkCard({ number, expiry, cvc }: CardInput, nowS: number): AcceptedCard {
  const digits = number.replace(/[\s-]/g, '')
  if (digits === '') throw badField('number', 'incomplete_number', 'Your card number is incomplete.')
  if (!/^\d{12,19}$/.test(digits) || !hasValidChecksum(digits)) {
    throw badField('number', 'invalid_number', 'Your card number is invalid.')
  }
  const { expMonth, expYear } = readExpiry(expiry, nowS)
  if (!/^\d{3,4}$/.test(cvc.trim())) {
    throw badField('cvc', 'invalid_cvc', "Your card's security code is incomplete.")
  }
  const card = knownCards.get(digits)
  if (card === undefined) {
    throw cardDeclined(
      'Your card was declined. Your request was in test mode, but used a non test card.',
      'test_mode_live_card'
    )
  }
  if (card.behaviour === 'generic_decline') throw cardDeclined('Your card was declined.', 'generic_decline')
  if (card.behaviour === 'insufficient_funds') {
    throw cardDeclined('Your card has insufficient funds.', 'insufficient_funds')
  }
  return { brand: card.brand, last4: digits.slice(-4), expMonth, expYear, isCharged: card.behaviour === 'pays' }
}

function readExpiry(expiry: string, nowS: number): { expMonth: number; expYear: number } {
  const [, month = '', year = ''] = /^\s*(\d{1,2})\s*[/ -]?\s*(\d{2}|\d{4})\s*$/.exec(expiry) ?? []
  const expMonth = Number(month)
  const expYear = year.length === 2 ? 2000 + Number(year) : Number(year)
  if (expMonth < 1 || expMonth > 12) {
    throw badField('exp_month', 'invalid_expiry_month', "Your card's expiration date is incomplete.")
  }
  // A card is valid until the last day of its month.
  if (Date.UTC(expYear, expMonth) <= nowS * 1000) {
    throw badField('exp_month', 'invalid_expiry_year', "Your card's expiration date is in the past.")
  }
  return { expMonth, expYear }
}

function badField(param: string, code: string, message: string): StripeApiError {
  return new StripeApiError(402, { type: 'card_error', code, message, param })
}

/** The checksum of ISO/IEC 7812-1 (Luhn). */
function hasValidChecksum(digits: string): boolean {
  let sum = 0
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
