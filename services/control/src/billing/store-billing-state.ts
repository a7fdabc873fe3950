import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { eq, sql } from 'drizzle-orm'
import { ensurePersonalAccount } from '../accounts/account-plan.ts'
import { intendPlan } from '../accounts/plan-intention.ts'
import { byService, recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { accounts, members } from '../database/schema/accounts.ts'
import { customers } from '../database/schema/billing.ts'
import { planWrites, users } from '../database/schema/users.ts'
import { type NewEvent, recordEvent, recordEvents } from '../events/record-event.ts'
import type { CustomerRow, LeasedCustomer, LeasedCustomers } from './customers.ts'
import type { Subscription } from './payments.ts'
import type { BillingState, Duplicate } from './plan-from-subscriptions.ts'

/**
 * Stores the result of reading a customer's subscriptions: the payment status, and the plan of the account, its owner
 * and its seats. It ends the lease of the customer.
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

/**
 * Tells once that a subscription with a price of no plan was paid: the operators, and the owner if no other
 * subscription gives a plan.
 */
export async function tellOfUnmatched(
  tx: Transaction,
  { accountId }: CustomerRow,
  { unmatched, facts }: { readonly unmatched: readonly Subscription[]; readonly facts: BillingState },
  at: Date
): Promise<void> {
  const events = unmatched.flatMap(({ id, priceIds }): NewEvent[] => {
    const data = { account_id: accountId, subscription_id: id, price_ids: [...priceIds] }
    const event = { type: 'payment.unmatched' as const, data, at }
    const once = `${event.type}:${id}:${priceIds.join()}`
    const toOperators = { ...event, accountId: null, once: `${once}:operators` }
    return id === facts.subscriptionId ? [toOperators, { ...event, accountId, once }] : [toOperators]
  })
  await recordEvents(tx, events)
}

/** Tells the owner and the operators once that a second subscription was paid and ends. */
export async function tellOfDuplicates(
  tx: Transaction,
  { accountId }: CustomerRow,
  duplicates: readonly Duplicate[],
  at: Date
): Promise<void> {
  const events = duplicates.flatMap(({ ended, kept }): NewEvent[] => {
    const data = {
      account_id: accountId,
      subscription_id: ended.id,
      price_ids: [...ended.priceIds],
      kept_subscription_id: kept.id,
      kept_price_ids: [...kept.priceIds]
    }
    const event = { type: 'payment.duplicate' as const, data, at }
    const once = `${event.type}:${ended.id}`
    return [
      { ...event, accountId: null, once: `${once}:operators` },
      { ...event, accountId, once }
    ]
  })
  await recordEvents(tx, events)
}

/**
 * Records the event that a payment failed, once for each period of a subscription: the provider tries several times,
 * and reports each try by several events, in any order. It is recorded when the subscription is past due, whatever told
 * control to look.
 *
 * @param invoiceId null if no event of the provider named the invoice
 */
export async function recordFailedPayment(
  tx: Transaction,
  { accountId, facts: before }: CustomerRow,
  facts: BillingState,
  invoiceId: string | null,
  now: Date
): Promise<void> {
  if (!facts.isPastDue || (before.isPastDue && invoiceId === null)) return
  const period = (facts.renewsAt ?? facts.cancelAt)?.toISOString() ?? ''
  await recordEvent(tx, {
    type: 'payment.failed',
    accountId,
    data: { invoice_id: invoiceId },
    at: now,
    once: `payment.failed:${accountId}:${facts.subscriptionId}:${period}`
  })
}
