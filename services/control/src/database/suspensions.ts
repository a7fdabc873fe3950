import { type SQL, sql } from 'drizzle-orm'
import { accounts, type SuspensionReason } from './schema/accounts.ts'

/** Whether an account is suspended only because its owner has a seat in a team. */
export function isPausedByTeam(suspensions: readonly SuspensionReason[]): boolean {
  return suspensions.length === 1 && suspensions[0] === 'team'
}

/** Accounts that an operator can approve. */
export const isWaiting: SQL = sql`('approval' = any (${accounts.suspensions}) and not 'deleted' = any (${accounts.suspensions}))`

/** The same as {@link isPausedByTeam}, in SQL. */
export const isInTeam: SQL = sql`(${accounts.suspensions} = '{team}')`

/** Whether an account waits for an operator's approval. */
export const waitsForApproval = (suspensions: readonly SuspensionReason[]): boolean => suspensions.includes('approval')
