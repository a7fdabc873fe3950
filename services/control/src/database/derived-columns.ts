import type { FreeBudget, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Orm } from './connect.ts'
import { accounts, type SuspensionReason } from './schema/accounts.ts'
import type { keys } from './schema/keys.ts'

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

/** The status of a key for those who admit its requests. */
export const statusInForce = ({
  status,
  paused
}: Pick<typeof keys.$inferSelect, 'status' | 'paused'>): KeyRecord['status'] =>
  status === 'active' && paused ? 'paused' : status

/**
 * What other accounts leave of the free budget, as gateways and reports need it; null for all of it. A deleted account
 * counts as alive until its spend is stored. Names are written out: Drizzle would leave out the table of `accounts.id`.
 */
export const freeBudgetColumn = sql<FreeBudget | null>`(
  select nullif(json_strip_nulls(json_build_object(
    'isElsewhere', nullif(bool_or(
      other.closed_month is null and (other.created_at, other.id) < (accounts.created_at, accounts.id)), false),
    'spent', (
      select json_build_object('month', closed.closed_month, 'nanos', sum(closed.closed_nanos))
      from accounts closed where closed.mailbox = accounts.mailbox and closed.closed_month is not null
      group by closed.closed_month order by closed.closed_month desc limit 1)
  ))::jsonb, '{}'::jsonb)
  from accounts other where other.mailbox = accounts.mailbox and other.id <> accounts.id)`

/** Reads {@link freeBudgetColumn} of an account. */
export async function readFreeBudget(orm: Orm, accountId: string): Promise<FreeBudget | null> {
  const [row] = await orm.select({ freeBudget: freeBudgetColumn }).from(accounts).where(eq(accounts.id, accountId))
  return row?.freeBudget ?? null
}
