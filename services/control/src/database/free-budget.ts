import type { FreeBudget } from '@tollgate/contracts/records/records.ts'
import { eq, sql } from 'drizzle-orm'
import type { Orm } from './connect.ts'
import { accounts } from './schema/accounts.ts'

/**
 * What other accounts leave of the free budget, as gateways and reports need it; null for all of it. A deleted account counts as
 * alive until its spend is stored. Names are written out: Drizzle would leave out the table of `accounts.id`.
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
