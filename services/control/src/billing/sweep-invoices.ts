import type { LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { SharedTime } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { invoiceSweeps, invoices } from '../database/schema/billing.ts'
import { claimSweep, createSweepLoop, type Lease } from '../leased-rows/sweep-lease.ts'
import { copyRefunds, refundsNeed } from './copy-refunds.ts'
import type { PaidInvoice, Payments } from './payments.ts'

/** Milliseconds between two requests to the provider, so that its rate limit has room for others. */
const pauseMs = 200

export interface InvoiceSweepOptions {
  database: Database
  payments: Pick<Payments, 'startDeadline' | 'listPaidInvoices' | 'listRefunds' | 'findInvoiceOfPayment'>
  /** For the lease, and when a copy is due. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from one copy to the next. */
  intervalMs: number
  pauseMs?: number
}

/** Copies the paid invoices and the refunds of the payment provider. Only one replica does so at a time. */
export interface InvoiceSweeper {
  readonly progress: LoopProgress
  start(): void
  /** Resolves when the last round has ended. */
  stop(): Promise<void>
  /** Copies both if that is due and no other replica does so. @returns whether all were copied */
  look(): Promise<boolean>
}

/**
 * Rows have the provider's ids, so that repeated copies change nothing. `page` of the lease is the time (Unix seconds)
 * of the oldest created invoice that was stored: a replica that takes over continues there.
 */
export function createInvoiceSweeper(options: InvoiceSweepOptions): InvoiceSweeper {
  const { database, payments, sharedTime, log, intervalMs } = options
  const { orm } = database
  const loop = createSweepLoop(look, log, {
    failing: 'the copy of paid invoices stopped; it starts again',
    recovered: 'the copy of paid invoices works again'
  })
  const { signal, pause } = loop
  let isForbidden = false

  async function look(): Promise<boolean> {
    // Read before the claim, which changes it. If another replica copies in between, more is read than needed.
    const [before] = await orm.select().from(invoiceSweeps)
    const lease = await claimSweep(orm, intervalMs, invoiceSweeps, sharedTime)
    if (lease === null) return false
    let isDone = false
    try {
      await copy(lease, invoicesCreatedFrom(before ?? null, lease.now()))
      if (!signal.aborted) await copyRefundsToo(lease, before?.refundsReadAt ?? null)
      isDone = !signal.aborted
    } finally {
      await lease.end(isDone)
    }
    if (isDone) log.info('all paid invoices were copied from the payment provider')
    return isDone
  }

  /** A key without the right for refunds copies invoices all the same. */
  async function copyRefundsToo(lease: Lease, lastAt: Date | null): Promise<void> {
    const startedAt = lease.now()
    const last = lastAt === null ? null : { startedAt: lastAt, finishedAt: lastAt }
    const outcome = await copyRefunds({
      orm,
      payments,
      from: invoicesCreatedFrom(last, startedAt),
      signal,
      async onStep() {
        await lease.keep(lease.sweep.page)
        await pause(options.pauseMs ?? pauseMs)
      }
    })
    if (outcome === 'stopped') return
    const readAt = outcome === 'forbidden' ? null : startedAt
    await orm.update(invoiceSweeps).set({ refundsReadAt: readAt })
    if (outcome === 'forbidden' && !isForbidden) log.warn(`refunds are missing from revenue: ${refundsNeed}`)
    isForbidden = outcome === 'forbidden'
  }

  /** Reads from the newest invoice to the oldest. An invoice that is paid meanwhile is found by the next copy. */
  async function copy(lease: Lease, from: Date): Promise<void> {
    const { page } = lease.sweep
    const to = page === null || page <= 1 ? null : new Date(page * 1000)
    let after: string | null = null
    do {
      const batch: Awaited<ReturnType<Payments['listPaidInvoices']>> = await payments.listPaidInvoices(
        { from, to, after },
        payments.startDeadline()
      )
      await storeInvoices(orm, batch.invoices)
      after = batch.hasMore ? batch.last : null
      const oldest = batch.invoices.at(-1)
      await lease.keep(oldest === undefined ? lease.sweep.page : oldest.createdAt.getTime() / 1000)
      if (after !== null) await pause(options.pauseMs ?? pauseMs)
    } while (after !== null && !signal.aborted)
  }

  return { progress: loop.progress, start: loop.start, stop: loop.stop, look }
}

/** Stores invoices, in the order of their ids: replicas that lock the same rows in different orders could deadlock. */
async function storeInvoices(orm: Orm, paid: readonly PaidInvoice[]): Promise<void> {
  const rows = paid
    // Trials and full credits: nothing was paid.
    .filter(({ amount }) => amount > 0)
    .map(({ createdAt: _, ...invoice }) => invoice)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  if (rows.length === 0) return
  await orm
    .insert(invoices)
    .values(rows)
    .onConflictDoUpdate({
      target: invoices.id,
      set: {
        customerId: sql`excluded.customer_id`,
        amount: sql`excluded.amount`,
        tax: sql`excluded.tax`,
        currency: sql`excluded.currency`,
        purpose: sql`excluded.purpose`,
        paidAt: sql`excluded.paid_at`
      }
    })
}

/** The first copy has the months that operators see, and one more. */
const firstCopyMonths = 13
/** The provider tries to collect an invoice for at most two months after it was created. */
const collectionMs = 70 * 86_400_000

/** The last copy of invoices. */
interface LastCopy {
  readonly startedAt: Date
  readonly finishedAt: Date | null
}

/**
 * The earliest creation of the invoices that the next copy reads. The provider cannot list by time of payment. So a
 * copy reads all invoices that may have been paid since the last copy. The first copy of a month reads more: it finds
 * invoices that somebody paid by hand, after the provider gave up. The same holds for refunds, which may fail later.
 *
 * @param last null before the first copy
 */
export function invoicesCreatedFrom(last: LastCopy | null, now: Date): Date {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - firstCopyMonths + 1))
  const isComplete = last !== null && last.finishedAt !== null && last.finishedAt >= last.startedAt
  if (!isComplete || isOtherMonth(last.startedAt, now)) return first
  return new Date(Math.max(first.getTime(), last.startedAt.getTime() - collectionMs))
}

const isOtherMonth = (a: Date, b: Date): boolean => a.toISOString().slice(0, 7) !== b.toISOString().slice(0, 7)
