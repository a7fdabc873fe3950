import type { Answer } from '../../api/call.ts'
import { countOf } from '../../format/number.ts'

type Keys = Answer<'getLimits'>['limits']['keys']

interface OverQuota {
  readonly title: string
  readonly text: string
}

/**
 * Describes keys above the number of the plan, such as after a change to a smaller plan. They keep working: the plan's
 * number only decides whether a key can be created.
 *
 * @returns null if no key is above it
 */
export function describeOverQuota({ limit, in_use: active }: Keys): OverQuota | null {
  if (limit === null || active <= limit) return null
  return {
    title: `You have ${countOf(active - limit, 'key')} more than your plan allows`,
    text: `Your plan allows ${countOf(limit, 'key')}, and ${active} are active. All of them keep working. Before you can create a key, revoke ${active - limit + 1} or choose a larger plan.`
  }
}

type Team = Pick<Answer<'getTeam'>['team'], 'seats' | 'invitations'>

/**
 * Describes a team that has more members than its plan has seats, or open invitations that nobody can accept. Members
 * above the plan's number stay.
 *
 * @returns null if the team fits
 */
export function describeOverSeats({
  seats: { used, limit },
  invitations
}: Team): { title: string; text: string } | null {
  if (limit === null) return null
  const open = invitations.length
  const waiting =
    open > 0 && used >= limit
      ? `${open === 1 ? 'Your open invitation' : `Your ${open} open invitations`} cannot be accepted: withdraw ${open === 1 ? 'it' : 'them'}, or choose a plan with more seats.`
      : null
  if (used > limit) {
    const stay = `Your plan has ${countOf(limit, 'seat')}, and ${used} are in use. All members stay. To invite someone, first remove ${used - limit + 1}.`
    return {
      title: `Your team has ${countOf(used - limit, 'member')} more than your plan allows`,
      text: waiting === null ? stay : `${stay} ${waiting}`
    }
  }
  return waiting === null ? null : { title: 'Your plan has no free seat', text: waiting }
}
