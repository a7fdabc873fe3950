import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { isSubscriptionLive } from '../billing/plan-from-subscriptions.ts'

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

export type AcceptanceCode = Extract<
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
