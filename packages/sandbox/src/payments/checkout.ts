import { attachCard, type CardInput, checkCard } from './cards.ts'
import type { PaymentsContext } from './context.ts'
import { newCustomer } from './customers.ts'
import { invalidRequest } from './errors.ts'
import { subscribe } from './new-subscription.ts'
import {
  type Metadata,
  newId,
  type WireCheckoutSession,
  type WireCustomer,
  type WireLineItem,
  type WirePrice
} from './wire.ts'

/** The fields of the checkout page. */
export interface Payment extends CardInput {
  email: string
  /** The name on the card. */
  name: string
}

/**
 * Pays an open session: charges the card and starts the subscription.
 *
 * @throws StripeApiError 402 whose `param` is the field to correct; 400 if the session is no longer open
 */
export function completeCheckout(
  context: PaymentsContext,
  session: WireCheckoutSession,
  payment: Payment
): WireCheckoutSession {
  const order = context.objects.get('order', session.id)
  if (session.status !== 'open' || order === null) throw invalidRequest('This Checkout Session is no longer open.')
  const card = checkCard(payment, context.clock.nowS())
  const customer = customerOf(context, session, payment)
  const paymentMethod = attachCard(context, customer, card, payment.name)
  const { subscription, invoice } = subscribe(context, {
    customer: customer.id,
    items: order.lineItems.flatMap(({ price, quantity }) =>
      price === null ? [] : [{ price, quantity: quantity ?? 1 }]
    ),
    metadata: order.subscriptionMetadata,
    description: order.subscriptionDescription,
    defaultPaymentMethod: paymentMethod.id,
    trialDays: order.trialDays,
    firstPayment: 'paid'
  })
  const completed: WireCheckoutSession = {
    ...session,
    customer: customer.id,
    customer_details: {
      address: null,
      business_name: null,
      email: customer.email,
      individual_name: null,
      name: payment.name,
      phone: null,
      tax_exempt: 'none',
      tax_ids: []
    },
    invoice: invoice.id,
    payment_status: invoice.amount_due > 0 ? 'paid' : 'no_payment_required',
    status: 'complete',
    subscription: subscription.id,
    url: null
  }
  context.objects.put('checkout.session', completed)
  context.emit('checkout.session.completed', completed)
  return completed
}

function customerOf(context: PaymentsContext, session: WireCheckoutSession, payment: Payment): WireCustomer {
  if (session.customer !== null) {
    const customer = context.objects.get('customer', session.customer)
    if (customer === null) throw invalidRequest('The customer of this Checkout Session has been deleted.')
    return customer
  }
  const details = { email: session.customer_email ?? payment.email, name: payment.name }
  const customer = newCustomer(details, context.clock.nowS())
  context.objects.put('customer', customer)
  context.emit('customer.created', customer)
  return customer
}

interface CheckoutDetails {
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
