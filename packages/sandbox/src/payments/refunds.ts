import type { FastifyInstance } from 'fastify'
import type { PaymentsContext } from './context.ts'
import { invalidRequest } from './errors.ts'
import { findResource } from './find.ts'
import type { Api } from './http/api.ts'
import { isWithin, listPage } from './http/list-page.ts'
import { fields, oneOf, optional, paging, range, text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { paymentOf } from './new-invoice.ts'
import { newId, type WireRefund } from './wire.ts'

/** Registers the lists of refunds, and of the payments by which one finds a refund's invoice. */
export function registerRefunds(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/refunds',
    params: { ...paging, payment_intent: optional(text), created: range },
    run(context, { payment_intent: payment, created, ...page }) {
      const refunds = context.objects.list('refund', payment).filter((refund) => isWithin(refund.created, created))
      return listPage(refunds, page, 'refund', '/v1/refunds')
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/invoice_payments',
    params: {
      ...paging,
      payment: fields({ type: oneOf('payment_intent'), payment_intent: text })
    },
    run(context, { payment: { payment_intent }, ...page }) {
      const payments = context.objects
        .list('invoice')
        .map(paymentOf)
        .filter(({ payment }) => payment.payment_intent === payment_intent)
      return listPage(payments, page, 'invoice_payment', '/v1/invoice_payments')
    }
  })
}

/**
 * Refunds a paid invoice, as a person does in Stripe's dashboard.
 *
 * @param amount in the smallest unit of the invoice's currency; by default all that is left
 * @throws StripeApiError 400 if the invoice has less left
 */
export function refundInvoice(context: PaymentsContext, invoiceId: string, amount?: number): WireRefund {
  const invoice = findResource(context, 'invoice', invoiceId)
  const payment = paymentOf(invoice).payment.payment_intent ?? null
  const earlier = context.objects.list('refund', payment ?? undefined).filter(({ status }) => status === 'succeeded')
  const left = invoice.amount_paid - earlier.reduce((sum, refund) => sum + refund.amount, 0)
  const refunded = amount ?? left
  if (refunded <= 0 || refunded > left) {
    throw invalidRequest(`Refund amount (${refunded}) is greater than unrefunded amount (${left}), or not positive.`, {
      param: 'amount'
    })
  }
  const refund: WireRefund = {
    id: newId('re'),
    object: 'refund',
    amount: refunded,
    balance_transaction: null,
    charge: null,
    created: context.clock.nowS(),
    currency: invoice.currency,
    customer: invoice.customer,
    customer_account: null,
    metadata: {},
    payment_intent: payment,
    payment_method: null,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null
  }
  context.objects.put('refund', refund)
  context.emit('refund.created', refund)
  return refund
}

/** Fails a refund that had succeeded, as when the bank of a closed card sends the money back. */
export function failRefund(context: PaymentsContext, id: string): WireRefund {
  const refund = findResource(context, 'refund', id)
  const failed: WireRefund = { ...refund, status: 'failed', failure_reason: 'expired_or_canceled_card' }
  context.objects.put('refund', failed)
  context.emit('refund.failed', failed)
  return failed
}
