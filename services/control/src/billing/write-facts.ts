import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { eq, sql } from 'drizzle-orm'
import { ensurePersonalAccount } from '../accounts/personal-account.ts'
import { intendPlan } from '../accounts/plan-intention.ts'
import { byService } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { accounts, customers, members, planWrites, users } from '../database/schema.ts'
import type { CustomerRow } from './customers.ts'
import type { BillingFacts } from './judge-subscriptions.ts'

/**
 * Writes down what was read of a customer's subscriptions, and what follows: the plan that is to stand at the identity
 * provider for the owner and the seats, and the account's own. The caller has locked the customer.
 *
 * @param before as it was when the customer had been locked
 * @returns whether anything changed that the plan writer and the projector should hear of after the commit
 */
export async function writeFacts(
  tx: Transaction,
  catalog: Catalog,
  before: CustomerRow,
  facts: BillingFacts,
  now: Date
): Promise<boolean> {
  const { accountId } = before
  // Whoever else decides on the user's plan waits until this is done, and so does whoever joins a team: they may not with
  // a live subscription.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, accountId)).for('no key update')
  const [owner] = await tx
    .select({ deletedAt: users.deletedAt, seatOf: members.accountId, intended: planWrites.intended })
    .from(users)
    .leftJoin(members, eq(members.userId, users.id))
    .leftJoin(planWrites, eq(planWrites.userId, users.id))
    .where(eq(users.id, accountId))
  if (owner === undefined) throw new Error(`account ${accountId} has no owner`)

  // What stands there for a seat is the team's plan. Their own follows when they leave.
  const isPlanNew = owner.seatOf === null && owner.deletedAt === null && facts.plan !== (owner.intended ?? freePlan)
  if (isPlanNew) {
    await intendPlan(tx, accountId, facts.plan)
    await ensurePersonalAccount(tx, catalog, accountId, now)
  }
  await writeSubscription(tx, before, facts, now)
  return isPlanNew
}

async function writeSubscription(tx: Transaction, before: CustomerRow, facts: BillingFacts, now: Date): Promise<void> {
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
  // What is said while the provider answers is not known to be in its answer.
  const dueAt = sql`case when ${customers.marks} = ${before.marks} then null else ${customers.dueAt} end`
  await tx
    .update(customers)
    .set({ ...rest, readAt: now, dueAt })
    .where(eq(customers.accountId, accountId))
}
