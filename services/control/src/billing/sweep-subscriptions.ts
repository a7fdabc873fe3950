import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { and, eq, inArray, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { claimSweep, createSweepLoop, type Lease } from '../background/sweep-lease.ts'
import { readPlanPrices } from '../catalog/plan-prices.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { accounts, billingEvents, billingSweeps, customers, members, planWrites, users } from '../database/schema.ts'
import { isAsRead } from './is-as-read.ts'
import { judgeSubscriptions } from './judge-subscriptions.ts'
import { endedStatuses, isSubscriptionLive } from './live-subscription.ts'
import type { Payments, Subscription } from './payments.ts'

/** Between two requests to the provider, which serves others too. */
const pauseMs = 200
/** The provider keeps events for 30 days, and repeats them for three. */
const eventsKeptMs = 40 * 86_400_000

export type SubscriptionSweepOptions = {
  database: Database
  payments: Pick<Payments, 'startLimit' | 'listSubscriptions'>
  catalog: Catalog
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from the start of one comparison to the start of the next. */
  intervalMs: number
  pauseMs?: number
}

/**
 * Compares all subscriptions with the payment provider now and then, for what we were never told. Who differs is marked,
 * and read by the sync loop.
 */
export type SubscriptionSweeper = {
  start(): void
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
  /** Does what there is to do, if it is time and nobody else does it. @returns whether a comparison was completed */
  look(): Promise<boolean>
}

type KnownCustomer = { customer: typeof customers.$inferSelect; status: string | null }

export function createSubscriptionSweeper(options: SubscriptionSweepOptions): SubscriptionSweeper {
  const { database, payments, catalog, clock, log, intervalMs } = options
  const { orm } = database
  const prices = readPlanPrices(catalog)
  const loop = createSweepLoop(look, log, {
    failing: 'the comparison with the payment provider stopped; it starts again',
    recovered: 'the comparison with the payment provider works again'
  })
  const { signal, pause } = loop

  async function look(): Promise<boolean> {
    const lease = await claimSweep(orm, clock, intervalMs, billingSweeps)
    if (lease === null) return false
    let isDone = false
    try {
      await readList(lease)
      isDone = !signal.aborted
      if (isDone) {
        await markUnlisted(lease.sweep.startedAt)
        await markDrifted()
        await orm.delete(billingEvents).where(lt(billingEvents.at, new Date(clock().getTime() - eventsKeptMs)))
      }
    } finally {
      await lease.end(isDone)
    }
    if (isDone) log.info('all subscriptions have been compared with the payment provider')
    return isDone
  }

  /** All that have not ended. One that ends, or begins, while the list is read is told by an event, or found next time. */
  async function readList(lease: Lease): Promise<void> {
    let after: string | null = null
    do {
      const page: { subscriptions: Subscription[]; hasMore: boolean } = await payments.listSubscriptions(
        after,
        payments.startLimit()
      )
      // One that ended without a payment is in the list for ever.
      await compare(page.subscriptions.filter(({ status }) => isSubscriptionLive(status)))
      after = page.hasMore ? (page.subscriptions.at(-1)?.id ?? null) : null
      await lease.keep(1)
      if (after !== null) await pause(options.pauseMs ?? pauseMs)
    } while (after !== null && !signal.aborted)
  }

  async function compare(listed: readonly Subscription[]): Promise<void> {
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
      if (row === undefined) await adopt(subscription)
      else if (isUnchanged(subscription, row)) same.push(row.customer.accountId)
      else await mark([row.customer.accountId])
    }
    if (same.length > 0) {
      await orm.update(customers).set({ readAt: clock() }).where(inArray(customers.accountId, same))
    }
  }

  /** Also what the catalog says of a price is as it was when the customer was read. */
  function isUnchanged(subscription: Subscription, { customer, status }: KnownCustomer): boolean {
    const { plan } = judgeSubscriptions(prices, [subscription], customer.plan).facts
    return plan === customer.plan && isAsRead(subscription, { ...customer, status })
  }

  /** What our checkout made for an account that has forgotten it, as a database does that was restored from a backup. */
  async function adopt({ accountId, customerId, id }: Subscription): Promise<void> {
    if (accountId === null || !uuid.test(accountId)) return
    const [account] = await orm.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId))
    if (account === undefined) return
    const stored = await orm
      .insert(customers)
      .values({ accountId, customerId, plan: freePlan, isPastDue: false, dueAt: clock() })
      .onConflictDoNothing()
      .returning({ accountId: customers.accountId })
    if (stored.length > 0)
      log.warn({ accountId, customerId, subscriptionId: id }, 'a forgotten customer was found again')
  }

  /** Who had a subscription that has not ended, and is not in the list any more. */
  async function markUnlisted(startedAt: Date): Promise<void> {
    const gone = await orm
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
    await mark(gone.map(({ accountId }) => accountId))
  }

  /** Whose plan is not meant to be what they pay for. */
  async function markDrifted(): Promise<void> {
    const drifted = await orm
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
    await mark(drifted.map(({ accountId }) => accountId))
  }

  async function mark(accountIds: readonly string[]): Promise<void> {
    if (accountIds.length === 0) return
    await orm
      .update(customers)
      .set({ dueAt: clock(), marks: sql`${customers.marks} + 1` })
      .where(and(inArray(customers.accountId, [...accountIds]), isNull(customers.dueAt)))
  }

  return { start: loop.start, stop: loop.stop, look }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
