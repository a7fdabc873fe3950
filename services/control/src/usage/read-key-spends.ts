import type { UsageKey } from '@tollgate/contracts/http/usage.ts'
import { type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'
import { monthOf } from './usage-range.ts'

/**
 * A query of what keys of an account have spent in the month of `now`, according to the ledger: `key_id`, and `spent`
 * in nanodollars, never below zero. Keys without usage are missing.
 *
 * @param which a condition on the ledger that chooses keys
 */
export function selectKeySpends(accountId: string, now: Date, which: SQL): SQL {
  const { from, to } = monthOf(now)
  return sql`
    select ${ledger.keyId} as key_id, greatest(sum(${ledger.costNanos}), 0) as spent
    from ${ledger}
    where ${ledger.accountId} = ${accountId}
      and ${ledger.hour} >= ${from.toISOString()}::timestamptz
      and ${ledger.hour} < ${to.toISOString()}::timestamptz
      and ${which}
    group by 1`
}

/**
 * What keys of an account have spent in the month of `now`, according to the ledger: id → nanodollars, never below
 * zero. Keys without usage are missing.
 */
export async function readKeySpends(
  orm: Orm,
  accountId: string,
  ids: readonly string[],
  now: Date
): Promise<Map<string, bigint>> {
  if (ids.length === 0) return new Map()
  // One parameter for all ids: there may be a thousand.
  const which = sql`${ledger.keyId} in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))`
  const rows = await queryRows<{ id: string; spent: string }>(
    orm,
    sql`select key_id as id, spent::text as spent from (${selectKeySpends(accountId, now, which)}) as spends`
  )
  return new Map(rows.map(({ id, spent }) => [id, BigInt(spent)]))
}

/** Reads the names of the keys of usage or requests, including keys that are no longer listed. */
export async function readKeyNames(
  orm: Orm,
  accountId: string,
  used: ReadonlyArray<{ readonly key_id?: string }>
): Promise<UsageKey[]> {
  const ids = [...new Set(used.flatMap(({ key_id: id }) => id ?? []))]
  // One parameter: there may be thousands of keys.
  return queryRows<UsageKey>(
    orm,
    sql`
      select ${keys.id} as id, ${keys.label} as label, ${keys.prefix} as prefix
      from ${keys}
      where ${keys.accountId} = ${accountId}
        and ${keys.id} in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))`
  )
}
