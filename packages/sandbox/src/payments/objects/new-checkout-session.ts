import type { Metadata, WireCheckoutSession, WireLineItem, WirePrice } from '../wire.ts'
import { newId } from './new-id.ts'

export interface CheckoutDetails {
  id: string
  url: string
  customer: string | null
  customerEmail: string | null
  clientReferenceId: string | null
  successUrl: string
  cancelUrl: string | null
  metadata: Metadata
  currency: string
  amount: number
  allowPromotionCodes: boolean | null
  paymentMethodCollection: 'always' | 'if_required'
  billingAddressCollection: 'auto' | 'required' | null
  locale: 'auto' | 'en' | null
  /** Unix seconds. */
  expiresAt: number
}

/** Creates an open checkout session for a subscription. */
export function newCheckoutSession(details: CheckoutDetails, nowS: number): WireCheckoutSession {
  return {
    id: details.id,
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: details.allowPromotionCodes,
    allowed_payment_method_types: null,
    amount_subtotal: details.amount,
    amount_total: details.amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: details.billingAddressCollection,
    cancel_url: details.cancelUrl,
    client_reference_id: details.clientReferenceId,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: nowS,
    currency: details.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null
    },
    customer: details.customer,
    customer_account: null,
    customer_creation: details.customer === null ? 'always' : null,
    customer_details: customerDetails(details.customerEmail),
    customer_email: details.customer === null ? details.customerEmail : null,
    discounts: [],
    expires_at: details.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: details.locale,
    managed_payments: { enabled: false },
    metadata: details.metadata,
    mode: 'subscription',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: details.paymentMethodCollection,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: details.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: details.url,
    wallet_options: null
  }
}

function customerDetails(email: string | null): WireCheckoutSession['customer_details'] {
  if (email === null) return null
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: null
  }
}

export function newLineItem(price: WirePrice, quantity: number, description: string): WireLineItem {
  const amount = (price.unit_amount ?? 0) * quantity
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description,
    metadata: {},
    price,
    quantity
  }
}
