import type { PaymentsContext } from '../context.ts'
import { type AcceptedCard, newPaymentMethod } from '../objects/new-payment-method.ts'
import type { WireCustomer, WirePaymentMethod } from '../wire.ts'
import { changeCustomer, changeSubscription } from './changes.ts'

/** Keeps an accepted card as one of the customer's payment methods. */
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

/** Makes a payment method the one that all of the customer's invoices are charged to. */
export function useForEverything(
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
