import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { accounts, members, planWrites, users } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'
import { effectivePlan } from './effective-plan.ts'
import { judgePlanWrite, personalPlan } from './judge-plan.ts'
import { intendPlan, intendPlanOfSeats } from './plan-intention.ts'
import { byService } from './suspend-account.ts'

/**
 * Makes sure that a user has a personal account, with the id of the user, on the plan that follows from what the identity
 * provider says, as `syncUser` has written it down. For whom the provider has no plan yet, the plan writer writes it. When
 * the plan changes, the plans of the account's seats follow.
 *
 * The caller has locked the user's row. Locks are taken in the order user, change, account: see `recordChange`.
 *
 * @returns whether anything changed and the projector should hear of it after the commit
 */
export async function ensurePersonalAccount(
  tx: Transaction,
  catalog: Catalog,
  userId: string,
  now: Date
): Promise<boolean> {
  // Most calls change nothing, and so need not wait for other changes.
  const [user] = await tx
    .select({ found: users.plan, present: accounts.plan, seatOf: members.accountId, write: planWrites })
    .from(users)
    .leftJoin(accounts, eq(accounts.id, users.id))
    .leftJoin(members, eq(members.userId, users.id))
    .leftJoin(planWrites, eq(planWrites.userId, users.id))
    .where(eq(users.id, userId))
  if (user === undefined) throw new Error(`there is no user ${userId}`)
  const { found, present, seatOf, write } = user
  if (write !== null && !write.pending && judgePlanWrite(found, write) === 'write') {
    // What was set by hand has been removed, and what we wrote is gone with it.
    await tx.update(planWrites).set({ pending: true }).where(eq(planWrites.userId, userId))
  }
  const plan = effectivePlan(catalog, personalPlan(found, write, seatOf !== null))
  // The provider has a plan for everybody whom we know. It is stored first that we mean to write it.
  if (found === null && write === null) await intendPlan(tx, userId, plan)
  if (present === plan) return false

  const shard = accountShard(userId)
  const version = await recordChange(tx, [shard])
  await tx
    .insert(accounts)
    .values({ id: userId, ownerId: userId, plan, shard, version, createdAt: now })
    .onConflictDoUpdate({ target: accounts.id, set: { plan, version } })
  if (present !== null) {
    await intendPlanOfSeats(tx, userId, plan)
    await recordAudit(tx, {
      accountId: userId,
      ...byService(now),
      action: 'plan.changed',
      detail: { from: present, to: plan }
    })
  }
  return true
}
