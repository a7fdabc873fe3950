import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { and, eq, inArray, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { readPlanPrices } from '../catalog/plans.ts'
import type { Clock, SharedTime } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { accounts, members } from '../database/schema/accounts.ts'
import { billingEvents, billingSweeps, customers } from '../database/schema/billing.ts'
import { planWrites, users } from '../database/schema/users.ts'
import { claimSweep, createSweepLoop, type Lease } from '../leased-rows/sweep-lease.ts'
import type { Payments, Subscription } from './payments.ts'
import {
  type BillingState,
  endedStatuses,
  isSubscriptionLive,
  planFromSubscriptions
} from './plan-from-subscriptions.ts'

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
 * Compares all subscriptions with the payment provider, in case an event was lost. Customers that differ are marked,
 * and the loop refreshes them.
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

  /**
   * Reads all subscriptions that have not ended. If one ends or starts meanwhile, its event arrives, or the next
   * comparison finds it.
   */
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
    const rowsById = new Map(rows.map((row) => [row.customer.customerId, row]))
    const same: string[] = []
    for (const subscription of listed) {
      const row = rowsById.get(subscription.customerId)
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

interface MarkContext {
  readonly orm: Orm
  /** PostgreSQL's. */
  readonly clock: Clock
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Stores the customer of a subscription that our checkout created, if the database lost it, for instance by a restored
 * backup.
 */
async function restoreCustomer(
  { orm, clock, log }: MarkContext,
  { accountId, customerId, id }: Subscription
): Promise<void> {
  if (accountId === null || !uuid.test(accountId)) return
  const [account] = await orm.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId))
  if (account === undefined) return
  const stored = await orm
    .insert(customers)
    .values({ accountId, customerId, plan: freePlan, isPastDue: false, dueAt: clock() })
    .onConflictDoNothing()
    .returning({ accountId: customers.accountId })
  if (stored.length > 0)
    log.warn(
      { accountId, customerId, subscriptionId: id },
      'restored a customer from the payment provider, because the database had lost it'
    )
}

/** Marks customers whose stored subscription has not ended but is no longer in the provider's list. */
async function markUnlisted(context: MarkContext, startedAt: Date): Promise<void> {
  const unlisted = await context.orm
    .select({ accountId: customers.accountId })
    .from(customers)
    .innerJoin(accounts, eq(accounts.id, customers.accountId))
    .where(
      and(
        notInArray(accounts.subscriptionStatus, [...endedStatuses]),
        or(isNull(customers.readAt), lt(customers.readAt, startedAt)),
        isNull(customers.dueAt)
      )
    )
  await mark(
    context,
    unlisted.map(({ accountId }) => accountId)
  )
}

/** Marks customers whose intended plan differs from the plan that they pay for. */
async function markDrifted(context: MarkContext): Promise<void> {
  const drifted = await context.orm
    .select({ accountId: customers.accountId })
    .from(customers)
    .innerJoin(users, eq(users.id, customers.accountId))
    .leftJoin(members, eq(members.userId, customers.accountId))
    .leftJoin(planWrites, eq(planWrites.userId, customers.accountId))
    .where(
      and(
        sql`${customers.plan} <> coalesce(${planWrites.intended}, ${freePlan})`,
        isNull(members.userId),
        isNull(users.deletedAt),
        isNull(customers.dueAt)
      )
    )
  await mark(
    context,
    drifted.map(({ accountId }) => accountId)
  )
}

async function mark({ orm, clock }: MarkContext, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) return
  await orm
    .update(customers)
    .set({ dueAt: clock(), marks: sql`${customers.marks} + 1` })
    .where(and(inArray(customers.accountId, [...accountIds]), isNull(customers.dueAt)))
}

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
