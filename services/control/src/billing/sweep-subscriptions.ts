import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { eq, inArray, lt } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { claimSweep, createSweepLoop, type Lease } from '../background/sweep-lease.ts'
import { readPlanPrices } from '../catalog/plan-prices.ts'
import type { SharedTime } from '../clocks/database-time.ts'
import type { Database } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { billingEvents, billingSweeps, customers } from '../database/schema/billing.ts'
import { isSubscriptionLive } from './live-subscription.ts'
import { type MarkContext, mark, markDrifted, markUnlisted, restoreCustomer } from './mark-customers.ts'
import type { Payments, Subscription } from './payments.ts'
import { type BillingState, planFromSubscriptions } from './plan-from-subscriptions.ts'

/** Whether a subscription is the stored one and has not changed. */
function isUnchangedSubscription(subscription: Subscription, facts: Omit<BillingState, 'plan'>): boolean {
  const { id, status, priceIds, cancelAt, periodEndsAt, isUnpaid } = subscription
  const renewsAt = cancelAt === null ? periodEndsAt : null
  return (
    id === facts.subscriptionId &&
    status === facts.status &&
    facts.priceId !== null &&
    priceIds.includes(facts.priceId) &&
    isSame(cancelAt, facts.cancelAt) &&
    (facts.renewsAt === null || isSame(renewsAt, facts.renewsAt)) &&
    (isUnpaid === facts.isPastDue || status === 'past_due' || status === 'unpaid')
  )
}

const isSame = (a: Date | null, b: Date | null): boolean => a?.getTime() === b?.getTime()

/** Milliseconds between two requests to the provider, so that its rate limit has room for others. */
const pauseMs = 200
/** Longer than the provider keeps events (30 days) and repeats them (3 days). */
const eventsKeptMs = 40 * 86_400_000

export interface SubscriptionSweepOptions {
  database: Database
  payments: Pick<Payments, 'startDeadline' | 'listSubscriptions'>
  catalog: Catalog
  /** For the lease, and when a comparison is due. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from one comparison to the next. */
  intervalMs: number
  pauseMs?: number
}

/**
 * Compares all subscriptions with the payment provider, in case an event was lost. Customers that differ are marked, and the
 * loop refreshes them.
 */
export interface SubscriptionSweeper {
  readonly progress: LoopProgress
  start(): void
  /** Resolves when the last round has ended. */
  stop(): Promise<void>
  /** Runs a comparison if one is due and no other replica runs it. @returns whether it was completed */
  look(): Promise<boolean>
}

interface KnownCustomer {
  customer: typeof customers.$inferSelect
  status: string | null
}

export function createSubscriptionSweeper(options: SubscriptionSweepOptions): SubscriptionSweeper {
  const { database, payments, catalog, sharedTime, log, intervalMs } = options
  const { orm } = database
  const loop = createSweepLoop(look, log, {
    failing: 'the comparison with the payment provider stopped; it starts again',
    recovered: 'the comparison with the payment provider works again'
  })
  const { signal, pause } = loop

  async function look(): Promise<boolean> {
    const lease = await claimSweep(orm, intervalMs, billingSweeps, sharedTime)
    if (lease === null) return false
    const marking = { orm, clock: lease.now, log }
    let isDone = false
    try {
      await readList(lease, marking)
      isDone = !signal.aborted
      if (isDone) {
        await markUnlisted(marking, lease.sweep.startedAt)
        await markDrifted(marking)
        await orm.delete(billingEvents).where(lt(billingEvents.at, new Date(lease.now().getTime() - eventsKeptMs)))
      }
    } finally {
      await lease.end(isDone)
    }
    if (isDone) log.info('all subscriptions were compared with the payment provider')
    return isDone
  }

  /** Reads all subscriptions that have not ended. If one ends or starts meanwhile, its event arrives, or the next comparison finds it. */
  async function readList(lease: Lease, marking: MarkContext): Promise<void> {
    let after: string | null = null
    do {
      const page: { subscriptions: Subscription[]; hasMore: boolean } = await payments.listSubscriptions(
        after,
        payments.startDeadline()
      )
      // The list keeps subscriptions that ended without a payment.
      await compare(
        page.subscriptions.filter(({ status }) => isSubscriptionLive(status)),
        marking
      )
      after = page.hasMore ? (page.subscriptions.at(-1)?.id ?? null) : null
      await lease.keep(1)
      if (after !== null) await pause(options.pauseMs ?? pauseMs)
    } while (after !== null && !signal.aborted)
  }

  async function compare(listed: readonly Subscription[], marking: MarkContext): Promise<void> {
    if (listed.length === 0) return
    const ids = [...new Set(listed.map(({ customerId }) => customerId))]
    const rows = await orm
      .select({ customer: customers, status: accounts.subscriptionStatus })
      .from(customers)
      .innerJoin(accounts, eq(accounts.id, customers.accountId))
      .where(inArray(customers.customerId, ids))
    const known = new Map(rows.map((row) => [row.customer.customerId, row]))
    const same: string[] = []
    for (const subscription of listed) {
      const row = known.get(subscription.customerId)
      if (row === undefined) await restoreCustomer(marking, subscription)
      else if (isUnchanged(subscription, row)) same.push(row.customer.accountId)
      else await mark(marking, [row.customer.accountId])
    }
    if (same.length > 0) {
      await orm.update(customers).set({ readAt: marking.clock() }).where(inArray(customers.accountId, same))
    }
  }

  /** Also compares the plan of the price: the catalog may have changed since the customer was read. */
  function isUnchanged(subscription: Subscription, { customer, status }: KnownCustomer): boolean {
    const { plan } = planFromSubscriptions(readPlanPrices(catalog), [subscription], customer.plan).facts
    return plan === customer.plan && isUnchangedSubscription(subscription, { ...customer, status })
  }

  return { progress: loop.progress, start: loop.start, stop: loop.stop, look }
}
