import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { ledger } from '../database/schema/usage.ts'
import { monthOf } from './usage-range.ts'

/**
 * What keys of an account have spent in the month of `now`, according to the ledger: id → nanodollars, never below zero.
 * Keys without usage are missing.
 */
export async function readKeySpends(
  orm: Orm,
  accountId: string,
  ids: readonly string[],
  now: Date
): Promise<Map<string, bigint>> {
  if (ids.length === 0) return new Map()
  const { from, to } = monthOf(now)
  // One parameter for all ids: there may be a thousand.
  const rows = await queryRows<{ id: string; cost: string }>(
    orm,
    sql`
      select ${ledger.keyId} as id, greatest(sum(${ledger.costNanos}), 0)::text as cost
      from ${ledger}
      where ${ledger.accountId} = ${accountId}
        and ${ledger.hour} >= ${from.toISOString()}::timestamptz
        and ${ledger.hour} < ${to.toISOString()}::timestamptz
        and ${ledger.keyId} in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))
      group by 1`
  )
  return new Map(rows.map(({ id, cost }) => [id, BigInt(cost)]))
}
