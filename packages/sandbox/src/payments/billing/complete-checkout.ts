import type { PaymentsContext } from '../context.ts'
import { invalidRequest } from '../errors.ts'
import { newCustomer } from '../objects/new-customer.ts'
import type { WireCheckoutSession, WireCustomer } from '../wire.ts'
import { attachCard } from './attach-card.ts'
import { type CardInput, checkCard } from './check-card.ts'
import { subscribe } from './subscribe.ts'

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
