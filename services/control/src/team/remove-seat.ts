import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq } from 'drizzle-orm'
import type { By } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../callers/session.ts'
import type { Database, Orm, Transaction } from '../database/connect.ts'
import { invitations, members } from '../database/schema/team.ts'
import { users } from '../database/schema/users.ts'
import { isUuid } from '../http/is-uuid.ts'
import type { SeatRemoved } from '../mail/mail-content.ts'
import { queueMail } from '../mail/queue-mail.ts'
import { describePerson } from './describe-person.ts'
import { giveUpSeat } from './give-up-seat.ts'

/**
 * Removes a seat or an invitation. The owner may remove every seat and invitation of the team; other members may remove only
 * their own seat.
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
    ...{ accountId: userId, kind: 'account', at },
    notices: [{ type: 'seat.removed', data, at: at.toISOString() }]
  })
}
