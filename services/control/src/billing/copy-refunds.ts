import { inArray, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { refunds } from '../database/schema/billing.ts'
import { everyCustomer } from './customers.ts'
import type { Payments, Refund } from './payments.ts'

/** What the operator has to do if the key may not read refunds. */
export const refundsNeed = 'at Stripe, allow Charges and Refunds: Read for the restricted key (STRIPE_SECRET_KEY)'

interface RefundCopy {
  readonly orm: Orm
  readonly payments: Pick<Payments, 'startDeadline' | 'listRefunds' | 'findInvoiceOfPayment'>
  /** The earliest refund to read. */
  readonly from: Date
  readonly signal: AbortSignal
  /** Called after each request to the provider that another one follows. */
  onStep(): Promise<void>
}

/**
 * Copies the refunds of our customers that succeeded, and removes those that failed after an earlier copy.
 *
 * @returns `stopped` if the signal ended it before the last page; `forbidden` if the key may not read refunds
 */
export async function copyRefunds(copy: RefundCopy): Promise<'copied' | 'stopped' | 'forbidden'> {
  const { orm, payments, from, signal, onStep } = copy
  let after: string | null = null
  do {
    const batch: Awaited<ReturnType<Payments['listRefunds']>> = await payments.listRefunds(
      { from, after },
      payments.startDeadline()
    )
    if (batch === null) return 'forbidden'
    await storeRefunds(copy, await ofOurs(orm, batch.refunds))
    after = batch.hasMore ? batch.last : null
    if (after !== null) await onStep()
  } while (after !== null && !signal.aborted)
  return after === null && !signal.aborted ? 'copied' : 'stopped'
}

/** Leaves out the customers of other businesses in the same provider account. */
async function ofOurs(orm: Orm, made: readonly Refund[]): Promise<Refund[]> {
  if (made.length === 0) return []
  const ids = [...new Set(made.map(({ customerId }) => customerId))]
  const ours = await queryRows<{ id: string }>(
    orm,
    sql`select customer_id as id from ${everyCustomer} as ours where ${inArray(sql`customer_id`, ids)}`
  )
  const isOurs = new Set(ours.map(({ id }) => id))
  return made.filter(({ customerId }) => isOurs.has(customerId))
}

/** The lease of the sweep keeps other replicas from storing at the same time. */
async function storeRefunds(copy: RefundCopy, made: readonly Refund[]): Promise<void> {
  const { orm } = copy
  const failed = made.filter(({ isSucceeded }) => !isSucceeded).map(({ id }) => id)
  if (failed.length > 0) await orm.delete(refunds).where(inArray(refunds.id, failed))
  const succeeded = made.filter(({ isSucceeded }) => isSucceeded)
  if (succeeded.length === 0) return
  const invoiceOf = await findInvoices(copy, succeeded)
  await orm
    .insert(refunds)
    .values(
      succeeded.map(({ id, customerId, amount, currency, at }) => ({
        id,
        customerId,
        invoiceId: invoiceOf.get(id) ?? null,
        amount,
        currency,
        at
      }))
    )
    .onConflictDoUpdate({ target: refunds.id, set: { invoiceId: sql`excluded.invoice_id` } })
}

/** The invoices of refunds, by the refund's id. The provider is asked once for each: refunds do not name them. */
async function findInvoices(
  { orm, payments, signal, onStep }: RefundCopy,
  made: readonly Refund[]
): Promise<Map<string, string>> {
  const ids = made.map(({ id }) => id)
  const stored = await orm
    .select({ id: refunds.id, invoiceId: refunds.invoiceId })
    .from(refunds)
    .where(inArray(refunds.id, ids))
  const found = new Map(stored.flatMap(({ id, invoiceId }) => (invoiceId === null ? [] : [[id, invoiceId]])))
  for (const { id, paymentId } of made) {
    if (found.has(id) || paymentId === null || signal.aborted) continue
    const invoice = await payments.findInvoiceOfPayment(paymentId, payments.startDeadline())
    if (invoice !== null) found.set(id, invoice)
    await onStep()
  }
  return found
}
