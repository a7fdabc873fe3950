import { setTimeout as delay } from 'node:timers/promises'
import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import { databaseClock, type SharedTime } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { customers, formerCustomers } from '../database/schema/billing.ts'
import { LeasedRows } from '../leased-rows/leased-rows.ts'
import type { BillingState } from './plan-from-subscriptions.ts'

/** An account at the payment provider, as it was last read. */
export interface CustomerRow {
  readonly accountId: string
  readonly customerId: string
  readonly facts: BillingState
  readonly readAt: Date | null
  readonly marks: number
  /** Whether its owner has deleted the account. */
  readonly isClosed: boolean
  /** For that or another reason, such as the owner's seat in a team. A suspended account must not buy. */
  readonly isSuspended: boolean
}

const row = {
  accountId: customers.accountId,
  customerId: customers.customerId,
  facts: {
    plan: customers.plan,
    status: accounts.subscriptionStatus,
    subscriptionId: customers.subscriptionId,
    priceId: customers.priceId,
    isPastDue: customers.isPastDue,
    renewsAt: customers.renewsAt,
    cancelAt: customers.cancelAt
  },
  readAt: customers.readAt,
  marks: customers.marks,
  isClosed: sql<boolean>`'deleted' = any (${accounts.suspensions})`,
  isSuspended: sql<boolean>`${accounts.status} = 'suspended'`
}

const raised = sql`${customers.marks} + 1`
const select = (orm: Orm) => orm.select(row).from(customers).innerJoin(accounts, eq(accounts.id, customers.accountId))

/** @returns null for an account without a customer at the payment provider */
export async function findCustomer(orm: Orm, accountId: string): Promise<CustomerRow | null> {
  const [customer] = await select(orm).where(eq(customers.accountId, accountId))
  return customer ?? null
}

/** @returns null for a customer of another business in the same provider account */
export async function findCustomerById(orm: Orm, customerId: string): Promise<CustomerRow | null> {
  const [customer] = await select(orm).where(eq(customers.customerId, customerId))
  return customer ?? null
}

/** All customers of all accounts with their accounts, former ones too: rows of (`account_id`, `customer_id`). */
export const everyCustomer = sql`(
  select ${customers.accountId}, ${customers.customerId} from ${customers}
  union all select ${formerCustomers.accountId}, ${formerCustomers.customerId} from ${formerCustomers}
)`

/** Customers of a condition, those first that have been due for the longest time. */
export async function findCustomers(orm: Orm, where: SQL | undefined, max: number): Promise<CustomerRow[]> {
  return select(orm).where(where).orderBy(customers.dueAt).limit(max)
}

/**
 * Schedules a refresh of an account's subscriptions, unless an earlier one is due.
 *
 * @param from by PostgreSQL's clock; default: now
 * @returns whether the account has a customer at the payment provider
 */
export async function markDue(orm: Orm, accountId: string, from: SQL = databaseClock()): Promise<boolean> {
  const marked = await orm
    .update(customers)
    .set({ dueAt: sql`least(${customers.dueAt}, ${from})`, marks: raised })
    .where(eq(customers.accountId, accountId))
    .returning({ accountId: customers.accountId })
  return marked.length > 0
}

/**
 * A replica's time, but not later than PostgreSQL's: else a replica whose clock is ahead would delay what is due at
 * once.
 */
const notLater = (now: Date): SQL => sql`least(${now.toISOString()}::timestamptz, ${databaseClock()})`

/** Milliseconds between two refreshes that a user asks for. */
const restMs = 5000

/** Schedules a refresh that a user asks for: soon, but not sooner than {@link restMs} after the last one. */
export async function markReturned(orm: Orm, accountId: string, now: Date): Promise<void> {
  const rested = sql`${customers.readAt} + ${`${restMs} ms`}::interval`
  await orm
    .update(customers)
    // A refresh that is postponed after a failure stays so.
    .set({
      dueAt: sql`coalesce(${customers.dueAt}, greatest(${notLater(now)}, ${rested}))`,
      marks: raised
    })
    .where(eq(customers.accountId, accountId))
}

/** Postpones a refresh that failed, unless the account was marked again since. */
export async function postpone(orm: Orm, { accountId, marks }: CustomerRow, until: SQL): Promise<void> {
  await orm
    .update(customers)
    .set({ dueAt: until })
    .where(and(eq(customers.accountId, accountId), eq(customers.marks, marks), isNotNull(customers.dueAt)))
}

/**
 * Stores the customer of an account, unless it has one already: of concurrent calls, one wins.
 *
 * @param replaces a customer that the provider no longer has
 * @returns the stored customer
 */
export async function storeCustomer(
  orm: Orm,
  accountId: string,
  customerId: string,
  { now, replaces }: { now: Date; replaces: string | null }
): Promise<string> {
  if (replaces === null) {
    const customer = { accountId, customerId, plan: freePlan, isPastDue: false }
    // Either column may conflict: a concurrent call may store the same account or the same customer.
    await orm.insert(customers).values(customer).onConflictDoNothing()
  } else {
    await orm.transaction(async (tx) => {
      const replaced = await tx
        .update(customers)
        .set({ customerId, dueAt: notLater(now), marks: raised })
        .where(and(eq(customers.accountId, accountId), eq(customers.customerId, replaces)))
        .returning({ accountId: customers.accountId })
      if (replaced.length > 0) await tx.insert(formerCustomers).values({ accountId, customerId: replaces })
    })
  }
  const stored = await findCustomer(orm, accountId)
  if (stored === null) throw new Error(`account ${accountId} has no customer, and cannot be ${customerId}`)
  return stored.customerId
}

/**
 * Longer than the provider's deadline and the storing after it. After it, others take over from a replica that died.
 */
const leaseMs = 12_000
/** Milliseconds between two looks at a lease that somebody else holds. */
const pauseMs = 100

export type LeasedCustomers = LeasedRows<typeof customers>

/** The customers, each of whom one refresh at a time reads. */
export const leasedCustomers = (orm: Orm, time?: SharedTime): LeasedCustomers =>
  new LeasedRows(orm, { table: customers, key: 'accountId', due: 'dueAt', lease: 'leaseEndsAt', leaseMs }, time)

/** A customer whom only one refresh reads, until it stores the result. */
export interface LeasedCustomer extends CustomerRow {
  readonly leaseEndsAt: string | null
}

/**
 * Leases a customer, when nobody else does. Later answers of the payment provider about the customer are at least as
 * new as the returned row. A lease needs no open transaction, so a slow provider holds no connection to the database.
 *
 * @returns null for a customer of another business in the same provider account
 * @throws ServiceError `payments_unavailable` if another refresh of the customer lasts until the signal aborts
 */
export async function leaseCustomer(
  orm: Orm,
  leases: LeasedCustomers,
  customerId: string,
  signal: AbortSignal
): Promise<LeasedCustomer | null> {
  for (;;) {
    const lease = await leases.claimOne(eq(customers.customerId, customerId))
    const customer = await findCustomerById(orm, customerId)
    if (customer === null) return null
    if (lease !== null) return { ...customer, leaseEndsAt: lease.leaseEndsAt }
    await delay(pauseMs, undefined, { signal }).catch((cause) => {
      throw new ServiceError('payments_unavailable', { cause })
    })
  }
}
