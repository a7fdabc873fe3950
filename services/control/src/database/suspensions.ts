import type { SuspensionReason } from './schema/accounts.ts'

/** Whether an account is suspended only because its owner has a seat in a team. */
export function isPausedByTeam(suspensions: readonly SuspensionReason[]): boolean {
  return suspensions.length === 1 && suspensions[0] === 'team'
}
