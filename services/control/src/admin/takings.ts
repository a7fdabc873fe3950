import { type SQL, sql } from 'drizzle-orm'
import { everyCustomer } from '../billing/customers.ts'
import { invoices, refunds } from '../database/schema/billing.ts'

/**
 * What customers of Tollgate paid in a range, and what they got back: rows of (`account_id`, `at`, `purpose`,
 * `currency`, `amount`, `tax`, `refunded`). Other customers of the payment provider are left out.
 *
 * `amount` is without tax. It is below zero for a refund, which counts when it was made. A refund returns the same share
 * of the tax and has the same purpose as its invoice. If its invoice is not known, all of it is subtracted from what was
 * paid for plans. `tax` is that of paid invoices: refunds do not lower it. `refunded` is what went back, with tax.
 *
 * @param within the condition that a time is in the range
 */
export const takings = (within: (time: SQL) => SQL): SQL => sql`(
  select payer.account_id, moved.at, moved.purpose, moved.currency, moved.amount, moved.tax, moved.refunded
  from (
    select ${invoices.customerId} as customer_id, ${invoices.paidAt} as at,
      coalesce(${invoices.purpose}, 'plan') as purpose, ${invoices.currency} as currency,
      ${invoices.amount} - ${invoices.tax} as amount, ${invoices.tax} as tax, 0 as refunded
    from ${invoices} where ${within(sql`${invoices.paidAt}`)}
    union all
    select ${refunds.customerId}, ${refunds.at},
      coalesce(${invoices.purpose}, 'plan'), ${refunds.currency},
      ${taxIn} - ${refunds.amount}, 0, ${refunds.amount}
    from ${refunds} left join ${invoices} on ${invoices.id} = ${refunds.invoiceId}
    where ${within(sql`${refunds.at}`)}
  ) as moved join ${everyCustomer} as payer on payer.customer_id = moved.customer_id
)`

/** The tax in a refund. Stored invoices have an amount above zero. */
const taxIn = sql`coalesce(round(${refunds.amount}::numeric * ${invoices.tax} / ${invoices.amount}), 0)::bigint`
