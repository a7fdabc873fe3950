import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { eq, sql } from 'drizzle-orm'
import { ensurePersonalAccount } from '../accounts/personal-account.ts'
import { intendPlan } from '../accounts/plan-intention.ts'
import { byService } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { customers } from '../database/schema/billing.ts'
import { members } from '../database/schema/team.ts'
import { planWrites, users } from '../database/schema/users.ts'
import type { LeasedCustomer, LeasedCustomers } from './customer-lease.ts'
import type { BillingState } from './plan-from-subscriptions.ts'

/**
 * Stores the result of reading a customer's subscriptions: the payment status, and the plan of the account, its owner and its
 * seats. It ends the lease of the customer.
 *
 * @param before the customer as leased
 * @returns whether the plan changed; then notify the plan writer and the projector after the commit
 * @throws ServiceError `payments_unavailable` if another refresh took over the customer, because this one took too long
 */
export async function storeBillingState(
  tx: Transaction,
  context: { catalog: Catalog; leases: LeasedCustomers },
  before: LeasedCustomer,
  facts: BillingState,
  now: Date
): Promise<boolean> {
  const { accountId } = before
  // Other decisions about the user's plan wait for this lock. So does joining a team, which subscribers cannot.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, accountId)).for('no key update')
  const [owner] = await tx
    .select({ deletedAt: users.deletedAt, seatOf: members.accountId, intended: planWrites.intended })
    .from(users)
    .leftJoin(members, eq(members.userId, users.id))
    .leftJoin(planWrites, eq(planWrites.userId, users.id))
    .where(eq(users.id, accountId))
  if (owner === undefined) throw new Error(`account ${accountId} has no owner`)

  // A user with a seat has the team's plan at the provider. Their own plan follows when they leave.
  const isPlanNew = owner.seatOf === null && owner.deletedAt === null && facts.plan !== (owner.intended ?? freePlan)
  if (isPlanNew) {
    await intendPlan(tx, accountId, facts.plan)
    await ensurePersonalAccount(tx, context.catalog, accountId, now)
  }
  await writeSubscription(tx, context.leases, before, facts, now)
  return isPlanNew
}

async function writeSubscription(
  tx: Transaction,
  leases: LeasedCustomers,
  before: LeasedCustomer,
  facts: BillingState,
  now: Date
): Promise<void> {
  const { accountId } = before
  const { status, ...rest } = facts
  if (status !== before.facts.status) {
    await tx.update(accounts).set({ subscriptionStatus: status }).where(eq(accounts.id, accountId))
  }
  const { subscriptionId, priceId } = facts
  const last = before.facts
  if (status !== last.status || subscriptionId !== last.subscriptionId || priceId !== last.priceId) {
    await recordAudit(tx, {
      accountId,
      ...byService(now),
      action: 'subscription.changed',
      ...(subscriptionId !== null && { subject: subscriptionId }),
      detail: { from: last.status, to: status, price: priceId }
    })
  }
  // An event that arrived while the provider answered may not be in its answer: then the customer stays due.
  const dueAt = sql`case when ${customers.marks} = ${before.marks} then null else ${customers.dueAt} end`
  if ((await leases.end(before, { ...rest, readAt: leases.now(), dueAt }, { tx })) === null) {
    throw new ServiceError('payments_unavailable', {
      cause: new Error(`account ${accountId} was refreshed by another`)
    })
  }
}
