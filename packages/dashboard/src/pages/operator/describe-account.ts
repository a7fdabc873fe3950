import type { AdminAccountListing } from '@tollgate/contracts/http/admin/accounts.ts'

type Reason = AdminAccountListing['suspended_for'][number]

const reasons: Record<Reason, string> = {
  operator: 'An operator suspended it.',
  identity: 'Its owner is banned at the identity provider.',
  team: 'Its owner has a seat in a team, so the personal account is paused.',
  deleted: 'Its owner was deleted.',
  approval: 'It waits for an operator’s approval.'
}

/** Why an account is suspended, one sentence for each reason. */
export const describeSuspension = (of: readonly Reason[]): string[] => of.map((reason) => reasons[reason])

/** Whether an operator can approve an account. */
export const waitsForApproval = (of: readonly Reason[]): boolean => of.includes('approval') && !of.includes('deleted')

type Status = Pick<AdminAccountListing, 'suspended_for' | 'team'>

/**
 * The state of an account in few words, with the tone of its badge; null for an active account. The keys of a team’s
 * member rest, and nobody has to act.
 */
export function stateOfAccount({
  suspended_for,
  team
}: Status): readonly [tone: 'danger' | 'warning' | 'neutral', badge: string, title: string] | null {
  if (suspended_for.length === 0) return null
  if (waitsForApproval(suspended_for)) return ['warning', 'Waits for approval', 'This account waits for approval']
  if (suspended_for.some((reason) => reason !== 'team')) return ['danger', 'Suspended', 'This account is suspended']
  const inTeam = `In the team of ${team?.owner_email || 'a deleted user'}`
  return ['neutral', inTeam, inTeam]
}

/** The address of the owner, or words for an owner who was deleted. */
export const nameOfAccount = ({ email }: Pick<AdminAccountListing, 'email'>): string =>
  email === '' ? 'Deleted user' : email
