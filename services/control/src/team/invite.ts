import { randomUUID } from 'node:crypto'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, gt, inArray, lte } from 'drizzle-orm'
import { assertApproved } from '../accounts/suspensions.ts'
import { type By, recordAudit } from '../audit/record-audit.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { accounts, invitations, members } from '../database/schema/accounts.ts'
import { users } from '../database/schema/users.ts'
import { hasFreeSeat, normalizeEmail } from './accept-invitation.ts'
import { hashInvitationToken, invitationMs, newInvitationToken, readTeamFacts } from './read-team.ts'

/** Per account, for every plan: each invitation sends a mail to a stranger. */
const maxOpenInvitations = 100

export interface NewInvitation {
  readonly row: typeof invitations.$inferSelect
  readonly token: string
}

/**
 * Invites an address into an account. It replaces an earlier invitation of the same address, whose link stops working.
 *
 * An invitation takes no seat: acceptance checks the seats again. The check here only avoids a useless mail.
 *
 * @returns the invitation with its token, which is never shown again
 * @throws ServiceError `account_suspended` (the account waits for approval), `seat_limit_reached`, `already_member`
 */
export async function invite(
  { orm }: Database,
  catalog: Catalog,
  accountId: string,
  address: string,
  by: By
): Promise<NewInvitation> {
  const email = normalizeEmail(address)
  const team = await readTeamFacts(orm, catalog, accountId)
  if (team === null) throw new Error(`account ${accountId} does not exist`)
  // Invited people need no approval, so nobody may approve themselves by an invitation.
  await assertApproved(orm, accountId)
  if (!hasFreeSeat(team)) throw new ServiceError('seat_limit_reached')
  const token = newInvitationToken()
  const row = {
    id: randomUUID(),
    accountId,
    email,
    tokenHash: hashInvitationToken(token),
    createdAt: by.at,
    endsAt: new Date(by.at.getTime() + invitationMs)
  }
  await orm.transaction(async (tx) => {
    if (await isMember(tx, accountId, email)) throw new ServiceError('already_member')
    await tx.delete(invitations).where(and(eq(invitations.accountId, accountId), lte(invitations.endsAt, by.at)))
    await tx
      .insert(invitations)
      .values(row)
      .onConflictDoUpdate({ target: [invitations.accountId, invitations.email], set: row })
    const open = await tx.$count(invitations, and(eq(invitations.accountId, accountId), gt(invitations.endsAt, by.at)))
    if (open > maxOpenInvitations) {
      throw new ServiceError('seat_limit_reached', {
        message: `The account has ${maxOpenInvitations} open invitations. Remove one first.`
      })
    }
    await recordAudit(tx, { accountId, ...by, action: 'team.invited', subject: row.id, detail: { email } })
  })
  return { row, token }
}

/** Whether the owner or a member of the account has this address. */
async function isMember(tx: Transaction, accountId: string, email: string): Promise<boolean> {
  const owner = tx.select({ id: accounts.ownerId }).from(accounts).where(eq(accounts.id, accountId))
  const seats = tx.select({ id: members.userId }).from(members).where(eq(members.accountId, accountId))
  const people = await tx
    .select({ email: users.email })
    .from(users)
    .where(inArray(users.id, owner.union(seats)))
  return people.some((person) => normalizeEmail(person.email) === email)
}
