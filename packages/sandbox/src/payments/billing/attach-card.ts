import type { PaymentsContext } from '../context.ts'
import { type AcceptedCard, newPaymentMethod } from '../objects/new-payment-method.ts'
import type { WireCustomer, WirePaymentMethod } from '../wire.ts'
import { changeCustomer, changeSubscription } from './changes.ts'

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
