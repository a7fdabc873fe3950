import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { and, eq, inArray, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { customers } from '../database/schema/billing.ts'
import { members } from '../database/schema/team.ts'
import { planWrites, users } from '../database/schema/users.ts'
import { endedStatuses } from './live-subscription.ts'
import type { Subscription } from './payments.ts'

export interface MarkContext {
  readonly orm: Orm
  readonly clock: Clock
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Stores the customer of a subscription that our checkout created, if the database lost it, for instance by a restored backup. */
export async function restoreCustomer(
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
export async function markUnlisted(context: MarkContext, startedAt: Date): Promise<void> {
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
export async function markDrifted(context: MarkContext): Promise<void> {
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

export async function mark({ orm, clock }: MarkContext, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) return
  await orm
    .update(customers)
    .set({ dueAt: clock(), marks: sql`${customers.marks} + 1` })
    .where(and(inArray(customers.accountId, [...accountIds]), isNull(customers.dueAt)))
}
