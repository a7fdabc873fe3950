import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { and, eq, isNotNull, lte, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts, customers } from '../database/schema.ts'
import type { BillingFacts } from './judge-subscriptions.ts'

/** An account at the payment provider, as it was last read. */
export type CustomerRow = {
  readonly accountId: string
  readonly customerId: string
  readonly facts: BillingFacts
  readonly readAt: Date | null
  readonly marks: number
  /** Whether its owner has deleted it. */
  readonly isClosed: boolean
  /** For that, or another reason, as a seat in a team is: then nothing should be bought for it. */
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

/** @returns null for an account that never bought anything */
export async function findCustomer(orm: Orm, accountId: string): Promise<CustomerRow | null> {
  const [found] = await select(orm).where(eq(customers.accountId, accountId))
  return found ?? null
}

/** @returns null for a customer of something else that the payment provider serves */
export async function findCustomerById(orm: Orm, customerId: string): Promise<CustomerRow | null> {
  const [found] = await select(orm).where(eq(customers.customerId, customerId))
  return found ?? null
}

/** Customers whose subscriptions are to be read again by now, those first that have waited longest. */
export async function findDueCustomers(orm: Orm, now: Date, most: number): Promise<CustomerRow[]> {
  return select(orm).where(lte(customers.dueAt, now)).orderBy(customers.dueAt).limit(most)
}

/**
 * Has an account's subscriptions read again from a time on, unless that is going to happen earlier.
 *
 * @returns whether the account has a customer at the payment provider
 */
export async function markDue(orm: Orm, accountId: string, from: Date): Promise<boolean> {
  const marked = await orm
    .update(customers)
    .set({ dueAt: sql`least(${customers.dueAt}, ${from.toISOString()}::timestamptz)`, marks: raised })
    .where(eq(customers.accountId, accountId))
    .returning({ accountId: customers.accountId })
  return marked.length > 0
}

/** Has them read later than was meant, after an attempt that failed, unless something has happened since. */
export async function putOff(orm: Orm, { accountId, marks }: CustomerRow, until: Date): Promise<void> {
  await orm
    .update(customers)
    .set({ dueAt: until })
    .where(and(eq(customers.accountId, accountId), eq(customers.marks, marks), isNotNull(customers.dueAt)))
}

/**
 * Writes down that an account is a customer, unless it is one already: of several who do this at once, one is right.
 *
 * @param replaces a customer whom the provider does not have any more
 * @returns the customer that it is
 */
export async function storeCustomer(
  orm: Orm,
  accountId: string,
  customerId: string,
  { now, replaces }: { now: Date; replaces: string | null }
): Promise<string> {
  if (replaces === null) {
    const customer = { accountId, customerId, plan: freePlan, isPastDue: false }
    // In either column: whoever stores the same at this moment may be seen in one of them only.
    await orm.insert(customers).values(customer).onConflictDoNothing()
  } else {
    await orm
      .update(customers)
      .set({ customerId, dueAt: now, marks: raised })
      .where(and(eq(customers.accountId, accountId), eq(customers.customerId, replaces)))
  }
  const stored = await findCustomer(orm, accountId)
  if (stored === null) throw new Error(`account ${accountId} has no customer, and cannot be ${customerId}`)
  return stored.customerId
}
