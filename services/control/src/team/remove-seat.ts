import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq } from 'drizzle-orm'
import { ensurePersonalAccount } from '../accounts/account-plan.ts'
import { intendPlan } from '../accounts/plan-intention.ts'
import { resumeAccount } from '../accounts/suspensions.ts'
import { type By, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../callers/session.ts'
import type { Database, Orm, Transaction } from '../database/connect.ts'
import { invitations, members } from '../database/schema/accounts.ts'
import { customers } from '../database/schema/billing.ts'
import { users } from '../database/schema/users.ts'
import { isUuid } from '../http/query.ts'
import type { SeatRemoved } from '../mail/mail-content.ts'
import { queueMail } from '../mail/queue-mail.ts'
import { lockChanges } from '../projection/record-change.ts'
import { describePerson } from './read-team.ts'

/**
 * Removes a seat or an invitation. The owner may remove every seat and invitation of the team; other members may remove
 * only their own seat.
 *
 * @param id a member's or an invitation's
 * @returns id of the removed user; null for an invitation
 * @throws ServiceError `forbidden`, or `not_found` if the caller's team has no such member or invitation
 */
export async function removeSeat(
  { orm }: Database,
  catalog: Catalog,
  caller: Caller,
  id: string,
  by: By
): Promise<string | null> {
  const { accountId, role, user } = caller
  if (!isUuid(id)) throw new ServiceError('not_found')
  if (role === 'owner' && id === user.id) {
    throw new ServiceError('forbidden', { message: 'The owner cannot be removed from their own account.' })
  }
  // Guessed ids must not take the lock.
  if (!(await isOfTeam(orm, accountId, id))) throw new ServiceError('not_found')
  if (role === 'seat' && id !== user.id) throw new ServiceError('forbidden')
  return orm.transaction(async (tx) => {
    const [revoked] = await tx
      .delete(invitations)
      .where(and(eq(invitations.id, id), eq(invitations.accountId, accountId)))
      .returning({ email: invitations.email })
    if (revoked !== undefined) {
      const detail = { email: revoked.email }
      await recordAudit(tx, { accountId, ...by, action: 'team.invitation_revoked', subject: id, detail })
      return null
    }
    if (!(await giveUpSeat(tx, catalog, id, accountId, by))) throw new ServiceError('not_found')
    if (id !== user.id) await tellRemoved(tx, id, accountId, by.at)
    return id
  })
}

/** Whether an id belongs to a team's owner, seat or invitation. */
async function isOfTeam(orm: Orm, accountId: string, id: string): Promise<boolean> {
  if (id === accountId) return true
  const seats = await orm.$count(members, and(eq(members.userId, id), eq(members.accountId, accountId)))
  if (seats > 0) return true
  return (await orm.$count(invitations, and(eq(invitations.id, id), eq(invitations.accountId, accountId)))) > 0
}

/** Queues the mail to a member whom the owner removed from the team, in the transaction that removes them. */
async function tellRemoved(tx: Transaction, userId: string, teamId: string, at: Date): Promise<void> {
  const [owner] = await tx.select({ name: users.name, email: users.email }).from(users).where(eq(users.id, teamId))
  if (owner === undefined) throw new Error(`the team ${teamId} has no owner`)
  const data = { owner: describePerson(owner) } satisfies SeatRemoved
  await queueMail(tx, {
    accountId: userId,
    kind: 'account',
    at,
    notices: [{ type: 'seat.removed', data, at: at.toISOString() }]
  })
}

/**
 * Removes a user's seat, for the user or for the owner. The user's own account resumes on the plan that it pays for.
 * Users join without a subscription, so it is almost always the free plan. Keys that they created stay with the team.
 *
 * It takes locks in the order user, change, rest.
 *
 * @returns whether they had a seat in the account; if so, notify the projector of their own account after the commit
 */
async function giveUpSeat(
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
