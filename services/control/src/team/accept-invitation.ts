import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { intendPlan } from '../accounts/plan-intention.ts'
import { type By, suspendAccount } from '../accounts/suspend-account.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { markDue } from '../billing/customers.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { accounts, invitations, members, users } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'
import { hashInvitationToken, isInvitationToken } from './invitation-token.ts'
import { judgeAcceptance } from './judge-acceptance.ts'
import { readTeamFacts, type TeamFacts } from './team-facts.ts'

/** Just what the bearer of a token learns about the wrong reader of the mail. */
const forOthers = 'The invitation is for another e-mail address.'

/**
 * Gives a user a seat in the team that invited them. From then on they act for the team's account; their own is suspended
 * until they leave.
 *
 * Locks are taken in the order user, change, rest. Changes are made one after the other, and everything that decides is
 * read under that lock: so of two who want the last seat one gets it, an invitation is accepted once, and nobody is in two
 * teams. An invitation is revoked or replaced without it, so it is locked by itself: whoever comes second finds it gone.
 *
 * @returns id of the team's account
 * @throws ServiceError with a code of `judgeAcceptance`
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
  // Guessing must not keep changes waiting.
  const [some] = await orm.select({ id: invitations.id }).from(invitations).where(ofToken)
  if (some === undefined) throw new ServiceError('invitation_invalid')

  return orm.transaction(async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
    await recordChange(tx, [accountShard(userId)])
    const [invitation = null] = await tx.select().from(invitations).where(ofToken).for('update')
    const team = invitation && (await readTeamFacts(tx, catalog, invitation.accountId))
    const invitee = await readInvitee(tx, userId)
    const refusal = judgeAcceptance({ now: by.at, invitation, invitee, team })
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
  // What they were about to buy for their own account cannot be bought any more.
  await markDue(tx, userId, by.at)
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
  if (user === undefined) throw new Error(`there is no account of user ${userId}`)
  return user
}
