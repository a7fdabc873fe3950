import type { WirePaymentMethod } from '../wire.ts'
import { newId } from './new-id.ts'

/** An accepted card. Its number is not stored. */
export interface AcceptedCard {
  brand: 'visa' | 'mastercard' | 'amex'
  last4: string
  expMonth: number
  expYear: number
  /** Whether later charges succeed, too. */
  isCharged: boolean
}

export function newPaymentMethod(
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
