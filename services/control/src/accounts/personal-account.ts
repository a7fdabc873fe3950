import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { byService } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { effectivePlan } from '../catalog/effective-plan.ts'
import type { Transaction } from '../database/connect.ts'
import { accounts, type SuspensionReason } from '../database/schema/accounts.ts'
import { members } from '../database/schema/team.ts'
import { planWrites, users } from '../database/schema/users.ts'
import { recordChange } from '../projection/record-change.ts'
import { decidePlanWrite, personalPlan } from './decide-plan.ts'
import { intendPlan, intendPlanOfSeats } from './plan-intention.ts'
import { recordPlanChange } from './record-plan-change.ts'

/**
 * Creates the personal account of a user, or updates its plan. The account has the user's id. Its plan follows from the
 * identity provider's plan, which `syncUser` stored. If the provider has no plan for the user yet, the plan writer writes it.
 * When the plan changes, the plans of the account's seats change too.
 *
 * An account that waits for approval does so from the statement that creates it: there is no instant in which it is active.
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
