import type { Answer } from '../../api/call.ts'

export type Invitation = Answer<'getInvitation'>['invitation']

/** Who invites, in few words: the name, or the address of somebody without a name. */
export const nameInviter = ({ invited_by: { name, email } }: Invitation): string => name.trim() || email

/** Who invites, so that the reader can be sure: anybody can choose any name, so the address is always there. */
export function describeInviter({ invited_by: { name, email } }: Invitation): string {
  return name.trim() === '' ? email : `${name.trim()} (${email})`
}
