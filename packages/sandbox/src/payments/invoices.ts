import type { FastifyInstance } from 'fastify'
import { collectInvoice } from './collect-invoice.ts'
import type { PaymentsContext } from './context.ts'
import { cardDeclined, invalidRequest, missingReference, noUpcomingInvoice } from './errors.ts'
import { checkListedCustomer, findCustomer, findReference, findResource } from './find.ts'
import type { Api } from './http/api.ts'
import { isWithin, listPage } from './http/list-page.ts'
import { oneOf, optional, paging, range, text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { newInvoice, newInvoiceLine } from './new-invoice.ts'
import { currentPeriodEnd, describeItem, periodEnd, recurrenceOf } from './periods.ts'
import type { WireInvoice, WireInvoiceLine, WireSubscription, WireSubscriptionItem } from './wire.ts'

/** Stripe finalizes a renewal's invoice, and charges it, about an hour after it created it. */
const untilChargeS = 3600

export function registerInvoices(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/invoices',
    params: {
      ...paging,
      customer: optional(text),
      subscription: optional(text),
      status: optional(oneOf('draft', 'open', 'paid', 'uncollectible', 'void')),
      created: range
    },
    run(context, { customer, subscription, status, created, ...page }) {
      checkListedCustomer(context, customer)
      const invoices = context.objects
        .list('invoice', customer)
        .filter(({ parent }) => !subscription || parent?.subscription_details?.subscription === subscription)
        .filter((invoice) => status === undefined || invoice.status === status)
        .filter((invoice) => isWithin(invoice.created, created))
      return listPage(invoices, page, 'invoice', '/v1/invoices')
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/invoices/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'invoice', id)
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/invoices/:id/lines',
    params: paging,
    run(context, page, id) {
      const { lines } = findResource(context, 'invoice', id)
      return listPage(lines.data, page, 'line_item', `/v1/invoices/${id}/lines`)
    }
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/invoices/create_preview',
    params: { customer: optional(text), subscription: optional(text) },
    run(context, { customer, subscription: id }) {
      if (id === undefined) {
        throw invalidRequest(
          'You must provide at least one of: `subscription`, `schedule`, `subscription_details.items`, `schedule_details.phases`, `invoice_items`.'
        )
      }
      const subscription = findReference(context, 'subscription', id, 'subscription')
      if (customer !== undefined && subscription.customer !== findCustomer(context, customer).id) {
        throw missingReference('subscription', id, 'subscription')
      }
      if (!renews(subscription)) throw noUpcomingInvoice(subscription.customer)
      return previewInvoice(context, subscription)
    }
  })

  // Unlike at Stripe, a declined card changes nothing: the transaction is rolled back with the 402.
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/invoices/:id/pay',
    params: {},
    run(context, _params, id) {
      const invoice = findResource(context, 'invoice', id)
      if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid')
      if (invoice.status !== 'open') throw invalidRequest(`This invoice cannot be paid: it is ${invoice.status}.`)
      const collected = collectInvoice(context, invoice)
      if (collected.status !== 'paid') throw cardDeclined('Your card was declined.', 'generic_decline')
      return collected
    }
  })
}

/** A renewal that is not stored yet. */
interface Renewal {
  /** When it happens, in Unix seconds. */
  readonly at: number
  readonly items: WireSubscriptionItem[]
  readonly lines: Omit<WireInvoiceLine, 'invoice'>[]
  /** Of the period that ends. */
  readonly periodStart: number
}

/** Whether a subscription will be renewed, as far as is known now. */
function renews(subscription: WireSubscription): boolean {
  const { status, cancel_at: cancelAt } = subscription
  if (status !== 'active' && status !== 'trialing' && status !== 'past_due') return false
  return cancelAt === null || cancelAt > currentPeriodEnd(subscription)
}

/** Computes the next renewal of a subscription. It includes what plan switches left to charge. */
export function nextRenewal(context: PaymentsContext, subscription: WireSubscription): Renewal {
  const at = currentPeriodEnd(subscription)
  const items = subscription.items.data.map((item) => nextPeriod(item, subscription.billing_cycle_anchor, at))
  const pending = context.objects.get('pending_lines', subscription.id)?.lines ?? []
  const lines = items.map((item) =>
    newInvoiceLine({
      item,
      amount: (item.price.unit_amount ?? 0) * (item.quantity ?? 1),
      description: describeItem(context, item),
      period: { start: item.current_period_start, end: item.current_period_end },
      isProration: false
    })
  )
  const periodStart = Math.min(...subscription.items.data.map((item) => item.current_period_start))
  return { at, items, lines: [...pending, ...lines], periodStart }
}

/** The invoice that the next renewal will create, as Stripe previews it. Nothing is stored. */
function previewInvoice(context: PaymentsContext, subscription: WireSubscription): WireInvoice {
  const customer = context.objects.get('customer', subscription.customer)
  if (customer === null) throw new Error(`The customer of ${subscription.id} does not exist.`)
  const { at, lines, periodStart } = nextRenewal(context, subscription)
  const invoice = newInvoice(
    {
      customer,
      subscription,
      lines,
      periodStart,
      periodEnd: at,
      reason: 'subscription_cycle',
      currency: subscription.currency,
      accountName: context.settings.businessName,
      taxPercent: context.settings.taxPercent,
      pageUrl: ''
    },
    at
  )
  return {
    ...invoice,
    id: `upcoming_${invoice.id}`,
    billing_reason: 'upcoming',
    status: 'draft',
    number: null,
    effective_at: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    webhooks_delivered_at: null,
    next_payment_attempt: at + untilChargeS,
    status_transitions: { ...invoice.status_transitions, finalized_at: null }
  }
}

function nextPeriod(item: WireSubscriptionItem, anchorS: number, startS: number): WireSubscriptionItem {
  const recurrence = recurrenceOf(item.price)
  if (recurrence === null) throw new Error(`${item.price.id} does not recur.`)
  return {
    ...item,
    current_period_start: startS,
    current_period_end: periodEnd(anchorS, startS, recurrence)
  }
}
