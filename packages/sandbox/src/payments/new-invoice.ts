import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import { changeCustomer } from './changes.ts'
import type { PaymentsContext } from './context.ts'
import {
  type Metadata,
  newId,
  type WireCustomer,
  type WireInvoice,
  type WireInvoiceLine,
  type WireInvoicePayment,
  type WireSubscription,
  type WireSubscriptionItem
} from './wire.ts'

interface InvoiceDetails {
  customer: WireCustomer
  subscription: { id: string; metadata: Metadata }
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update'
  lines: readonly Omit<WireInvoiceLine, 'invoice'>[]
  currency: string
  /** Unix seconds. */
  periodStart: number
  periodEnd: number
  accountName: string
  /** Tax on top of the lines. */
  taxPercent: number
  /** The URL of the invoice's page; its PDF is below. */
  pageUrl: string
}

/** The fields that are empty in a new invoice. */
const emptyFields = {
  account_tax_ids: null,
  application: null,
  automatically_finalizes_at: null,
  custom_fields: null,
  customer_account: null,
  customer_address: null,
  customer_shipping: null,
  customer_tax_ids: [],
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  due_date: null,
  footer: null,
  from_invoice: null,
  last_finalization_error: null,
  latest_revision: null,
  next_payment_attempt: null,
  on_behalf_of: null,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  statement_descriptor: null,
  test_clock: null,
  total_discount_amounts: [],
  total_pretax_credit_amounts: []
} satisfies Partial<WireInvoice>

/** Creates a finalized, unpaid invoice. The customer's credit is already subtracted. */
export function newInvoice(details: InvoiceDetails, nowS: number): WireInvoice {
  const { customer, subscription } = details
  const id = newId('in')
  const subtotal = details.lines.reduce((sum, line) => sum + line.amount, 0)
  const tax = Math.round((subtotal * details.taxPercent) / 100)
  const total = subtotal + tax
  const due = Math.max(0, total + customer.balance)
  return {
    ...emptyFields,
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: details.accountName,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: due,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    billing_reason: details.reason,
    collection_method: 'charge_automatically',
    created: nowS,
    currency: details.currency,
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_tax_exempt: 'none',
    effective_at: nowS,
    ending_balance: endingBalance(customer.balance, total),
    hosted_invoice_url: details.pageUrl,
    invoice_pdf: `${details.pageUrl}/pdf`,
    issuer: { type: 'self' },
    lines: {
      object: 'list',
      data: details.lines.map((line) => ({ ...line, invoice: id })),
      has_more: false,
      url: `/v1/invoices/${id}/lines`
    },
    livemode: false,
    metadata: {},
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence ?? 1).padStart(4, '0')}`,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details'
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: details.periodEnd,
    period_start: details.periodStart,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: customer.balance,
    status: 'open',
    status_transitions: { finalized_at: nowS, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_excluding_tax: subtotal,
    total_taxes: tax === 0 ? [] : [taxOf(tax, subtotal)],
    webhooks_delivered_at: nowS
  }
}

function taxOf(amount: number, taxable: number): NonNullable<WireInvoice['total_taxes']>[number] {
  return {
    amount,
    tax_behavior: 'exclusive',
    tax_rate_details: null,
    taxability_reason: 'standard_rated',
    taxable_amount: taxable,
    type: 'tax_rate_details'
  }
}

/** The customer's balance after an invoice over `total`. A negative balance is credit. */
function endingBalance(startingBalance: number, total: number): number {
  return Math.min(0, startingBalance + total)
}

/** The payment of an invoice, sent if `payments` is expanded. */
export function paymentOf(invoice: WireInvoice): WireInvoicePayment {
  const tail = invoice.id.slice('in_'.length)
  const isPaid = invoice.status === 'paid'
  return {
    id: `inpay_${tail}`,
    object: 'invoice_payment',
    amount_paid: isPaid ? invoice.amount_paid : null,
    amount_requested: invoice.amount_due,
    created: invoice.created,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: `pi_${tail}`, type: 'payment_intent' },
    status: isPaid ? 'paid' : 'open',
    status_transitions: { canceled_at: null, paid_at: invoice.status_transitions.paid_at }
  }
}

interface LineDetails {
  item: WireSubscriptionItem
  amount: number
  description: string
  /** Unix seconds. */
  period: { start: number; end: number }
  isProration: boolean
}

export function newInvoiceLine(details: LineDetails): Omit<WireInvoiceLine, 'invoice'> {
  const { item, amount } = details
  const quantity = item.quantity ?? 1
  return {
    id: newId('il'),
    object: 'line_item',
    amount,
    currency: item.price.currency,
    description: details.description,
    discount_amounts: [],
    discountable: !details.isProration,
    discounts: [],
    livemode: false,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: details.isProration,
        proration_details: null,
        subscription: item.subscription,
        subscription_item: item.id
      },
      type: 'subscription_item_details'
    },
    period: details.period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: item.price.id, product: item.price.product },
      type: 'price_details',
      unit_amount_decimal: item.price.unit_amount_decimal
    },
    quantity,
    quantity_decimal: String(quantity),
    subscription: item.subscription,
    subtotal: amount,
    taxes: []
  }
}

interface InvoiceOrder extends Pick<InvoiceDetails, 'reason' | 'lines' | 'periodStart' | 'periodEnd'> {
  subscription: WireSubscription
}

/** Creates a finalized, unpaid invoice of a subscription. */
export function createInvoice(context: PaymentsContext, order: InvoiceOrder): WireInvoice {
  const { subscription, reason, lines, periodStart, periodEnd } = order
  const customer = context.objects.get('customer', subscription.customer)
  if (customer === null) throw new Error(`The customer of ${subscription.id} does not exist.`)
  const link = randomBase62(40)
  const invoice = newInvoice(
    {
      customer,
      subscription,
      reason,
      lines,
      currency: subscription.currency,
      periodStart,
      periodEnd,
      accountName: context.settings.businessName,
      taxPercent: context.settings.taxPercent,
      pageUrl: `${context.baseUrl()}/i/${link}`
    },
    context.clock.nowS()
  )
  context.objects.put('invoice', invoice)
  context.objects.put('invoice_link', { id: link, invoice: invoice.id })
  changeCustomer(context, customer, {
    balance: invoice.ending_balance ?? 0,
    currency: invoice.currency,
    next_invoice_sequence: (customer.next_invoice_sequence ?? 1) + 1
  })
  context.emit('invoice.created', invoice)
  context.emit('invoice.finalized', invoice)
  return invoice
}
