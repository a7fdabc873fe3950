import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { and, eq } from 'drizzle-orm'
import { ensurePersonalAccount } from '../accounts/personal-account.ts'
import { intendPlan } from '../accounts/plan-intention.ts'
import { resumeAccount } from '../accounts/suspend-account.ts'
import type { By } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { customers } from '../database/schema/billing.ts'
import { members } from '../database/schema/team.ts'
import { users } from '../database/schema/users.ts'
import { lockChanges } from '../projection/record-change.ts'

/**
 * Removes a user's seat, for the user or for the owner. The user's own account resumes on the plan that it pays for. Users join
 * without a subscription, so it is almost always the free plan. Keys that they created stay with the team.
 *
 * It takes locks in the order user, change, rest.
 *
 * @returns whether they had a seat in the account; if so, notify the projector of their own account after the commit
 */
export async function giveUpSeat(
  tx: Transaction,
  catalog: Catalog,
  userId: string,
  accountId: string,
  by: By
): Promise<boolean> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  await lockChanges(tx)
  const ofUser = and(eq(members.userId, userId), eq(members.accountId, accountId))
  const left = await tx.delete(members).where(ofUser).returning({ userId: members.userId })
  if (left.length === 0) return false
  await resumeAccount(tx, userId, 'team', by)
  const [customer] = await tx.select({ plan: customers.plan }).from(customers).where(eq(customers.accountId, userId))
  await intendPlan(tx, userId, customer?.plan ?? freePlan)
  await ensurePersonalAccount(tx, catalog, userId, by.at)
  const action = by.actorId === userId ? 'team.left' : 'team.seat_removed'
  await recordAudit(tx, { accountId, ...by, action, subject: userId })
  return true
}

/**
 * Removes the seat of a user who is being deleted.
 *
 * @returns whether they had a seat
 */
export async function leaveTeam(tx: Transaction, catalog: Catalog, userId: string, by: By): Promise<boolean> {
  const [seat] = await tx.select({ accountId: members.accountId }).from(members).where(eq(members.userId, userId))
  return seat !== undefined && giveUpSeat(tx, catalog, userId, seat.accountId, by)
}
