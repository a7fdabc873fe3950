import { changeCustomer, changeSubscription } from './changes.ts'
import type { PaymentsContext } from './context.ts'
import { cardDeclined, StripeApiError } from './errors.ts'
import { newId, type WireCustomer, type WirePaymentMethod } from './wire.ts'

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
 * The card that fails at renewal pays once, so that there is a subscription to renew. At Stripe its first payment
 * fails, too.
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

/** Stores an accepted card as a payment method of the customer. */
export function attachCard(
  context: PaymentsContext,
  customer: WireCustomer,
  card: AcceptedCard,
  holder: string | null
): WirePaymentMethod {
  const paymentMethod = newPaymentMethod(
    card,
    { name: holder, email: customer.email },
    customer.id,
    context.clock.nowS()
  )
  context.objects.put('payment_method', paymentMethod)
  context.objects.put('card', { id: paymentMethod.id, isCharged: card.isCharged })
  context.emit('payment_method.attached', paymentMethod)
  return paymentMethod
}

/** Makes this the default payment method of the customer and of all subscriptions that have not ended. */
export function setDefaultPaymentMethod(
  context: PaymentsContext,
  customer: WireCustomer,
  paymentMethod: WirePaymentMethod
): void {
  changeCustomer(context, customer, {
    invoice_settings: { ...customer.invoice_settings, default_payment_method: paymentMethod.id }
  })
  for (const subscription of context.objects.list('subscription', customer.id)) {
    if (subscription.ended_at === null) {
      changeSubscription(context, subscription, { default_payment_method: paymentMethod.id })
    }
  }
}

/** An accepted card. Its number is not stored. */
interface AcceptedCard {
  brand: 'visa' | 'mastercard' | 'amex'
  last4: string
  expMonth: number
  expYear: number
  /** Whether later charges succeed, too. */
  isCharged: boolean
}

function newPaymentMethod(
  card: AcceptedCard,
  holder: { name: string | null; email: string | null },
  customer: string,
  nowS: number
): WirePaymentMethod {
  return {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: { address: null, email: holder.email, name: holder.name, phone: null, tax_id: null },
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: card.brand,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      funding: 'credit',
      generated_from: null,
      last4: card.last4,
      networks: { available: [card.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null
    },
    created: nowS,
    customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card'
  }
}
