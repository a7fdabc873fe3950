import type { OpenRefusal, RefusalBucket } from '@tollgate/contracts/http/usage.ts'
import { refusalReason, showRefused } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { openRefusals, refusals } from '../database/schema/refusals.ts'
import type { UsageRange } from '../usage/usage-range.ts'

/** Keys that one answer names. */
const maxOpen = 100

/**
 * Counts the refused requests of an account, by time, key and code.
 *
 * @param keyId only those of this key
 * @returns null if there are more than `limit` buckets
 */
export async function readRefusals(
  orm: Orm,
  accountId: string,
  { from, to, interval }: UsageRange,
  keyId: string | undefined,
  limit: number
): Promise<RefusalBucket[] | null> {
  const rows = await queryRows<{ start: string; key_id: string; code: string; requests: string }>(
    orm,
    sql`
      select to_char(start, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') as start, key_id, code, requests::text as requests
      from (
        select date_trunc('${sql.raw(interval)}', ${refusals.hour} at time zone 'UTC') as start,
          ${refusals.keyId} as key_id, ${refusals.code} as code, sum(${refusals.count}) as requests
        from ${refusals}
        where ${refusals.accountId} = ${accountId}
          and ${refusals.hour} >= ${from.toISOString()}::timestamptz and ${refusals.hour} < ${to.toISOString()}::timestamptz
          ${keyId === undefined ? sql`` : sql`and ${refusals.keyId} = ${keyId}`}
        group by 1, 2, 3
      ) as counted
      order by start, requests desc, key_id, code
      limit ${limit + 1}`
  )
  if (rows.length > limit) return null
  return rows.map(({ requests, ...row }) => ({ ...row, reason: refusalReason(row.code), requests: Number(requests) }))
}

/** The keys of an account that refuse requests now. @param keyId only this key */
export const readOpenRefusals = (orm: Orm, accountId: string, keyId?: string): Promise<OpenRefusal[]> =>
  readOpen(orm, accountId, keyId === undefined ? undefined : eq(openRefusals.keyId, keyId))

/** The open refusals of keys, by the id of the key. */
export async function readRefusalsOfKeys(
  orm: Orm,
  accountId: string,
  ids: readonly string[]
): Promise<Partial<Record<string, OpenRefusal[]>>> {
  if (ids.length === 0) return {}
  // One parameter for all ids: there may be a thousand.
  const which = sql`${openRefusals.keyId} in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))`
  return Object.groupBy(await readOpen(orm, accountId, which, ids.length * maxOpen), (open) => open.key_id)
}

async function readOpen(orm: Orm, accountId: string, which: SQL | undefined, limit = maxOpen): Promise<OpenRefusal[]> {
  const rows = await orm
    .select()
    .from(openRefusals)
    .where(and(eq(openRefusals.accountId, accountId), isNull(openRefusals.endedAt), which))
    .orderBy(desc(openRefusals.lastAt), openRefusals.keyId, openRefusals.code)
    .limit(limit)
  return rows.map((row) => ({ key_id: row.keyId, ...showOpenRefusal(row) }))
}

/** Why a key refuses requests, in the units of the API. */
export function showOpenRefusal({
  code,
  since,
  lastAt,
  count,
  model,
  smallest
}: typeof openRefusals.$inferSelect): Omit<OpenRefusal, 'key_id'> {
  return {
    ...{ code, reason: refusalReason(code), since: since.toISOString(), last_at: lastAt.toISOString() },
    ...{ requests: count, model, ...showRefused(smallest) }
  }
}
