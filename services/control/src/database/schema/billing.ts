import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { at, hasOneRow, sweepColumns, sweepTable } from './columns.ts'

/** Accounts that are customers of the payment provider, with the result of the last read of their subscriptions. */
export const customers = pgTable(
  'customers',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id),
    /** `cus_…` at the payment provider. */
    customerId: text('customer_id').notNull().unique(),
    /** Derived from the subscriptions alone. */
    plan: text('plan').notNull(),
    /** The subscription that gives the plan, else the newest one; null if there never was one. */
    subscriptionId: text('subscription_id'),
    /** The price that gives the plan, else the subscription's first price. */
    priceId: text('price_id'),
    isPastDue: boolean('is_past_due').notNull(),
    renewsAt: at('renews_at'),
    /** When a cancelled subscription ends. */
    cancelAt: at('cancel_at'),
    readAt: at('read_at'),
    /** From this time, any replica may read the subscriptions again; null if nothing has changed. */
    dueAt: at('due_at'),
    /** How often the customer was marked as due. A mark during a read causes another read. */
    marks: integer('marks').notNull().default(0),
    /** Until this time, by the database's clock, one refresh reads the customer; see billing/customers.ts. */
    leaseEndsAt: timestamp('lease_ends_at', { withTimezone: true, mode: 'string' })
  },
  (table) => [index('customers_due').on(table.dueAt).where(sql`${table.dueAt} is not null`)]
)

/**
 * Customers that an account had before: somebody deleted them at the payment provider. Their invoices stay the
 * account's.
 */
export const formerCustomers = pgTable(
  'former_customers',
  {
    /** `cus_…` at the payment provider. */
    customerId: text('customer_id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id)
  },
  (table) => [index('former_customers_account').on(table.accountId)]
)

/** Events of the payment provider that were handled. */
export const billingEvents = pgTable(
  'billing_events',
  {
    /** `evt_…` */
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    customerId: text('customer_id').notNull(),
    at: at('at').notNull()
  },
  (table) => [index('billing_events_at').on(table.at)]
)

/** Paid invoices of the payment provider; see billing/sweep-invoices.ts. */
export const invoices = pgTable(
  'invoices',
  {
    /** `in_…` */
    id: text('id').primaryKey(),
    customerId: text('customer_id').notNull(),
    /** What was paid, in the currency's smallest unit. Refunds have their own rows. */
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** The part of the amount that is tax, and so no revenue. */
    tax: bigint('tax', { mode: 'number' }).notNull().default(0),
    /** In lower case. */
    currency: text('currency').notNull(),
    /** `plan` pays for a subscription. Null in rows that an earlier release copied: they count as `plan`. */
    purpose: text('purpose', { enum: ['plan', 'other'] }),
    paidAt: at('paid_at').notNull()
  },
  (table) => [index('invoices_paid_at').on(table.paidAt), index('invoices_customer').on(table.customerId)]
)

/** Refunds that succeeded at the payment provider; see billing/copy-refunds.ts. */
export const refunds = pgTable(
  'refunds',
  {
    /** `re_…` */
    id: text('id').primaryKey(),
    customerId: text('customer_id').notNull(),
    /** `in_…`, the invoice whose payment was refunded; null if it is not known. */
    invoiceId: text('invoice_id'),
    /** What went back, with tax, in the currency's smallest unit. */
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** In lower case. */
    currency: text('currency').notNull(),
    /** When the refund was made. */
    at: at('at').notNull()
  },
  (table) => [index('refunds_at').on(table.at)]
)

const invoiceSweepsName = 'invoice_sweeps'

/** Copy of the paid invoices and refunds of all customers; see billing/sweep-invoices.ts. */
export const invoiceSweeps = pgTable(
  invoiceSweepsName,
  {
    ...sweepColumns(),
    /** When all refunds were last read; null if they never were, or if the key may not read them any more. */
    refundsReadAt: at('refunds_read_at')
  },
  ({ one }) => [hasOneRow(invoiceSweepsName, one)]
)

/** Comparison of all subscriptions with the payment provider; see billing/sweep-subscriptions.ts. */
export const billingSweeps = sweepTable('billing_sweeps')
