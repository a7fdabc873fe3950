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

/** The address of the owner, or words for an owner who was deleted. */
export const nameOfAccount = ({ email }: Pick<AdminAccountListing, 'email'>): string =>
  email === '' ? 'Deleted user' : email
