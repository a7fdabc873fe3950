import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { eq } from 'drizzle-orm'
import { intendPlan } from '../accounts/plan-intention.ts'
import { suspendAccount } from '../accounts/suspend-account.ts'
import type { By } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { markDue } from '../billing/customers.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { invitations, members } from '../database/schema/team.ts'
import { users } from '../database/schema/users.ts'
import { lockChanges } from '../projection/record-change.ts'
import { checkAcceptance } from './check-acceptance.ts'
import { hashInvitationToken, isInvitationToken } from './invitation-token.ts'
import { readTeamFacts, type TeamFacts } from './team-facts.ts'

/** The whole answer to a user with another address: it must not name the invited one. */
const forOthers = 'This invitation is for another e-mail address. Sign in with the invited address.'

/**
 * Gives a user a seat in the team that invited them. From then on they act for the team's account; their own is suspended
 * until they leave.
 *
 * It takes locks in the order user, change, rest. It reads everything for the decision under the lock of changes: two users
 * cannot both take the last seat, an invitation is accepted once, and nobody is in two teams. Invitations are revoked and
 * replaced without that lock, so it also locks the row.
 *
 * @returns id of the team's account
 * @throws ServiceError with a code of `checkAcceptance`
 */
export async function acceptInvitation(
  { orm }: Database,
  catalog: Catalog,
  userId: string,
  token: string,
  by: By
): Promise<string> {
  if (!isInvitationToken(token)) throw new ServiceError('invitation_invalid')
  const ofToken = eq(invitations.tokenHash, hashInvitationToken(token))
  // Guessed tokens must not take the lock.
  const [some] = await orm.select({ id: invitations.id }).from(invitations).where(ofToken)
  if (some === undefined) throw new ServiceError('invitation_invalid')

  return orm.transaction(async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
    await lockChanges(tx)
    const [invitation = null] = await tx.select().from(invitations).where(ofToken).for('update')
    const team = invitation && (await readTeamFacts(tx, catalog, invitation.accountId))
    const invitee = await readInvitee(tx, userId)
    const refusal = checkAcceptance({ now: by.at, invitation, invitee, team })
    if (refusal !== null) {
      throw new ServiceError(refusal, refusal === 'forbidden' ? { message: forOthers } : {})
    }
    const { id, accountId } = invitation!
    await tx.delete(invitations).where(eq(invitations.id, id))
    await takeSeat(tx, userId, accountId, team!, by)
    return accountId
  })
}

async function takeSeat(tx: Transaction, userId: string, accountId: string, team: TeamFacts, by: By): Promise<void> {
  await tx.insert(members).values({ userId, accountId, joinedAt: by.at })
  await suspendAccount(tx, userId, 'team', by)
  await intendPlan(tx, userId, team.plan)
  // The next refresh closes the open checkouts of their own account.
  await markDue(tx, userId)
  await recordAudit(tx, { accountId, ...by, action: 'team.joined', subject: userId })
}

async function readInvitee(tx: Transaction, userId: string) {
  const [user] = await tx
    .select({
      id: users.id,
      email: users.email,
      seatOf: members.accountId,
      subscriptionStatus: accounts.subscriptionStatus,
      ownSeats: tx.$count(members, eq(members.accountId, userId))
    })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.id))
    .leftJoin(members, eq(members.userId, users.id))
    .where(eq(users.id, userId))
  if (user === undefined) throw new Error(`user ${userId} has no account`)
  return user
}
