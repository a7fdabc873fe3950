import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { byService, recordAudit } from '../audit/record-audit.ts'
import { effectivePlan } from '../catalog/plans.ts'
import type { Transaction } from '../database/connect.ts'
import { accounts, members, type SuspensionReason } from '../database/schema/accounts.ts'
import { planWrites, users } from '../database/schema/users.ts'
import { recordEvent } from '../events/record-event.ts'
import { noteBudget } from '../notices/spend-checks.ts'
import { recordChange } from '../projection/record-change.ts'
import { endByChange } from '../refusals/end-refusals.ts'
import { intendPlan, intendPlanOfSeats } from './plan-intention.ts'

/**
 * Creates the personal account of a user, or updates its plan. The account has the user's id. Its plan follows from the
 * identity provider's plan, which `syncUser` stored. If the provider has no plan for the user yet, the plan writer
 * writes it. When the plan changes, the plans of the account's seats change too.
 *
 * An account that waits for approval does so from the statement that creates it: there is no instant in which it is
 * active.
 *
 * The caller has locked the user's row. This takes locks in the order user, change, account: see `recordChange`.
 *
 * @returns whether anything changed; if so, notify the projector after the commit
 */
export async function ensurePersonalAccount(
  tx: Transaction,
  catalog: Catalog,
  userId: string,
  now: Date,
  begin: { waits: boolean } = { waits: false }
): Promise<boolean> {
  // Most calls change nothing, so they do not wait for the lock of changes.
  const [user] = await tx
    .select({ found: users.plan, present: accounts.plan, seatOf: members.accountId, write: planWrites })
    .from(users)
    .leftJoin(accounts, eq(accounts.id, users.id))
    .leftJoin(members, eq(members.userId, users.id))
    .leftJoin(planWrites, eq(planWrites.userId, users.id))
    .where(eq(users.id, userId))
  if (user === undefined) throw new Error(`user ${userId} does not exist`)
  const { found, present, seatOf, write } = user
  if (write !== null && !write.pending && decidePlanWrite(found, write) === 'write') {
    // An operator removed a plan, and thereby also control's plan. So control writes its plan again.
    await tx.update(planWrites).set({ pending: true }).where(eq(planWrites.userId, userId))
  }
  const plan = effectivePlan(catalog, personalPlan(found, write, seatOf !== null))
  // The provider gets a plan for every user. The intention is stored before the write.
  if (found === null && write === null) await intendPlan(tx, userId, plan)
  if (present === plan) return false

  const shard = accountShard(userId)
  const version = await recordChange(tx, [shard])
  const suspensions: SuspensionReason[] = begin.waits ? ['approval'] : []
  const [account] = await tx
    .insert(accounts)
    .values({ id: userId, ownerId: userId, plan, suspensions, shard, version, createdAt: now })
    .onConflictDoUpdate({ target: accounts.id, set: { plan, version } })
    .returning({ overridePlan: accounts.overridePlan })
  if (present !== null) {
    await intendPlanOfSeats(tx, userId, plan)
    await recordAudit(tx, {
      accountId: userId,
      ...byService(now),
      action: 'plan.changed',
      detail: { from: present, to: plan }
    })
    // With an operator's plan, the one in force stays.
    if (account!.overridePlan === null) await recordPlanChange(tx, userId, { from: present, to: plan }, now)
  }
  return true
}

/** What control writes to `app_metadata.plan` of a user: the intended plan, and all plans that it may have written. */
interface PlanWrite {
  readonly intended: string
  readonly ours: readonly string[]
}

/**
 * The plan that an operator set at the identity provider: any plan there that control did not write. It applies until
 * the operator removes it.
 *
 * @param planId `app_metadata.plan`; null if it is not set
 */
export function planByHand(planId: string | null, ours: readonly string[]): string | null {
  return planId === null || ours.includes(planId) ? null : planId
}

/**
 * Decides about the plan at the provider. An operator's plan stays; control replaces its own plan if it intends
 * another.
 */
export function decidePlanWrite(planId: string | null, { intended, ours }: PlanWrite): 'by hand' | 'write' | 'written' {
  if (planByHand(planId, ours) !== null) return 'by hand'
  return planId === intended ? 'written' : 'write'
}

/**
 * The plan of a user's own account. For a user with a seat, control writes the team's plan to the provider, so their
 * own account is free unless an operator set a plan.
 *
 * @param write null if control never intended a plan
 */
export function personalPlan(planId: string | null, write: PlanWrite | null, isSeat: boolean): string {
  if (write === null) return planId ?? freePlan
  return planByHand(planId, write.ours) ?? (isSeat ? freePlan : write.intended)
}

/**
 * Records the event that another plan is in force, in the transaction of the change. The same plan is no event. The
 * spend is checked soon, because it may already have passed a threshold of the new plan's budget.
 */
export async function recordPlanChange(
  tx: Transaction,
  accountId: string,
  plans: { readonly from: string; readonly to: string },
  at: Date
): Promise<void> {
  const { from, to } = plans
  if (from === to) return
  await recordEvent(tx, { type: 'plan.changed', accountId, data: { from, to }, at })
  await noteChangedLimits(tx, accountId)
}

/** Has the budget of an account checked after its limits changed. What they refused before may be served now. */
export async function noteChangedLimits(tx: Transaction, accountId: string): Promise<void> {
  await noteBudget(tx, accountId, null)
  await endByChange(tx, accountId, null)
}
