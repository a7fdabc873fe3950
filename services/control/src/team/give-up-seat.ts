import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { ensurePersonalAccount } from '../accounts/personal-account.ts'
import { intendPlan } from '../accounts/plan-intention.ts'
import { type By, resumeAccount } from '../accounts/suspend-account.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { customers, members, users } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'

/**
 * Takes a user's seat away, by themself or by the owner. Their own account comes back, on the plan that it pays for: as
 * nobody joins with a subscription, almost always the free one. The keys that they made stay with the team.
 *
 * Locks are taken in the order user, change, rest.
 *
 * @returns whether they had a seat in the account, and the projector should hear of their own one after the commit
 */
export async function giveUpSeat(
  tx: Transaction,
  catalog: Catalog,
  userId: string,
  accountId: string,
  by: By
): Promise<boolean> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  await recordChange(tx, [accountShard(userId)])
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
 * For a user who goes for good: gives up the seat that they have, wherever it is.
 *
 * @returns whether they had one
 */
export async function leaveTeam(tx: Transaction, catalog: Catalog, userId: string, by: By): Promise<boolean> {
  const [seat] = await tx.select({ accountId: members.accountId }).from(members).where(eq(members.userId, userId))
  return seat !== undefined && giveUpSeat(tx, catalog, userId, seat.accountId, by)
}
