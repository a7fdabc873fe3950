import type { Answer } from '../../api/call.ts'
import { formatDay } from '../../format/time.ts'

export type Invitation = Answer<'getInvitation'>['invitation']

/** Who invites, in few words: the name, or the address of somebody without a name. */
export const nameInviter = ({ invited_by: { name, email } }: Invitation): string => name.trim() || email

/** Who invites, so that the reader can be sure: anybody can choose any name, so the address is always there. */
export function describeInviter({ invited_by: { name, email } }: Invitation): string {
  return name.trim() === '' ? email : `${name.trim()} (${email})`
}

type Plan = Answer<'getPlan'>['plan']

/**
 * What somebody with a subscription of their own must do before they can join a team; null without a subscription.
 *
 * @param isRefused whether the answer to an attempt to join named the subscription: not every one is seen in the plan
 */
export function describeSubscription(plan: Plan | undefined, isRefused: boolean): string | null {
  const { cancel_at: end = null, renews_at = null, price_id = null, past_due = false } = plan ?? {}
  if (end !== null) {
    return `Your own subscription ends on ${formatDay(new Date(end))}. You can join the team after that day. If the invitation has expired by then, ask for a new one.`
  }
  const isLive = isRefused || renews_at !== null || price_id !== null || past_due
  return isLive ? 'Cancel your own subscription first. You can join the team when it has ended.' : null
}

/** Whose team the user has just joined; null for none. Only memory has it, so that a reload does not say it again. */
let owner: string | null = null

/** Makes the team's page, which is opened next, say whose team the user has joined. */
export function noteJoined(nameOfOwner: string): void {
  owner = nameOfOwner
}

/** React may render a page twice, so reading keeps the name. */
export const joinedOwner = (): string | null => owner

export function forgetJoined(): void {
  owner = null
}
