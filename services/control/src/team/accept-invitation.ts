import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { eq } from 'drizzle-orm'
import { intendPlan } from '../accounts/plan-intention.ts'
import { suspendAccount } from '../accounts/suspensions.ts'
import { type By, recordAudit } from '../audit/record-audit.ts'
import { markDue } from '../billing/customers.ts'
import { isSubscriptionLive } from '../billing/plan-from-subscriptions.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { accounts, invitations, members } from '../database/schema/accounts.ts'
import { users } from '../database/schema/users.ts'
import { lockChanges } from '../projection/record-change.ts'
import { hashInvitationToken, isInvitationToken, readTeamFacts, type TeamFacts } from './read-team.ts'

/** The whole answer to a user with another address: it must not name the invited one. */
const forOthers = 'This invitation is for another e-mail address. Sign in with the invited address.'

/**
 * Gives a user a seat in the team that invited them. From then on they act for the team's account; their own is
 * suspended until they leave.
 *
 * It takes locks in the order user, change, rest. It reads everything for the decision under the lock of changes: two
 * users cannot both take the last seat, an invitation is accepted once, and nobody is in two teams. Invitations are
 * revoked and replaced without that lock, so it also locks the row.
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

/** The data that decides whether a user may take a seat, read at one instant. */
export interface AcceptanceFacts {
  readonly now: Date
  /** Null if it was accepted, was revoked, or never existed. */
  readonly invitation: { readonly accountId: string; readonly email: string; readonly endsAt: Date } | null
  readonly invitee: {
    readonly id: string
    readonly email: string
    /** The account in which they have a seat; null without one. */
    readonly seatOf: string | null
    /** Seats of other users in their own account. */
    readonly ownSeats: number
    /** Status of their own account's subscription. */
    readonly subscriptionStatus: string | null
  }
  /** The inviting account. */
  readonly team: {
    readonly isSuspended: boolean
    /** Seats taken, besides the owner's. */
    readonly seats: number
    /** Seats of the plan, including the owner's; null for any number. */
    readonly seatLimit: number | null
  } | null
}

type AcceptanceCode = Extract<
  ErrorCode,
  | 'invitation_invalid'
  | 'forbidden'
  | 'already_member'
  | 'already_in_team'
  | 'team_has_members'
  | 'subscription_active'
  | 'account_suspended'
  | 'seat_limit_reached'
>

/** Checks whether a user may accept an invitation. @returns null if they may, else the error code */
export function checkAcceptance({ now, invitation, invitee, team }: AcceptanceFacts): AcceptanceCode | null {
  if (invitation === null || team === null || invitation.endsAt <= now) return 'invitation_invalid'
  if (invitation.email !== normalizeEmail(invitee.email)) return 'forbidden'
  if (invitee.id === invitation.accountId || invitee.seatOf === invitation.accountId) return 'already_member'
  if (invitee.seatOf !== null) return 'already_in_team'
  if (invitee.ownSeats > 0) return 'team_has_members'
  if (isSubscriptionLive(invitee.subscriptionStatus)) return 'subscription_active'
  if (team.isSuspended) return 'account_suspended'
  return hasFreeSeat(team) ? null : 'seat_limit_reached'
}

/** Whether one more user may join. Seats above a lowered limit stay. */
export function hasFreeSeat({ seats, seatLimit }: { seats: number; seatLimit: number | null }): boolean {
  return seatLimit === null || seats + 1 < seatLimit
}

/** Addresses are compared without case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()
