import type { OpenRefusal, RefusalBucket } from '@tollgate/contracts/http/usage.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { isRefusal, refusalReason, showRefused } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows, type Transaction } from '../database/connect.ts'
import { openRefusals, refusals } from '../database/schema/notices.ts'
import type { UsageRange } from '../usage/usage-range.ts'

const hourMs = 3_600_000

type Counted = typeof refusals.$inferInsert
type Opened = typeof openRefusals.$inferInsert

/**
 * Counts refused requests by hour, key and code, in the transaction that stores their receipts: so each receipt counts
 * once. It also opens the refusals of a key, or continues them.
 *
 * @param receipts those that were stored for the first time
 * @throws the error of PostgreSQL
 */
export async function noteRefusals(tx: Transaction, receipts: readonly Receipt[]): Promise<void> {
  const refused = receipts.filter(({ kind, status }) => kind === 'refused' && isRefusal(status))
  if (refused.length === 0) return
  await tx
    .insert(refusals)
    .values(countByHour(refused))
    .onConflictDoUpdate({
      target: [refusals.accountId, refusals.hour, refusals.keyId, refusals.code],
      set: { count: sql`${refusals.count} + excluded.count` }
    })
  const needed = (row: string) => sql.raw(`(${row}.smallest ->> 'needed')::bigint`)
  await tx
    .insert(openRefusals)
    .values(mergeByKey(refused))
    .onConflictDoUpdate({
      target: [openRefusals.accountId, openRefusals.keyId, openRefusals.code],
      set: {
        since: sql`least(${openRefusals.since}, excluded.since)`,
        lastAt: sql`greatest(${openRefusals.lastAt}, excluded.last_at)`,
        count: sql`${openRefusals.count} + excluded.count`,
        model: sql`excluded.model`,
        // After they ended, for instance because a budget was raised, earlier amounts say nothing of the present ones.
        smallest: sql`case
          when ${openRefusals.endedAt} is null
            and (excluded.smallest is null or ${needed('open_refusals')} < ${needed('excluded')})
          then ${openRefusals.smallest}
          else excluded.smallest end`,
        endedAt: null
      }
    })
}

/** In one order, so that replicas do not deadlock. */
function inOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

function countByHour(refused: readonly Receipt[]): Counted[] {
  const rows = new Map<string, Counted>()
  for (const { account: accountId, key: keyId, code: errorCode, at, count } of refused) {
    const [hour, code] = [Math.floor((at * 1000) / hourMs) * hourMs, errorCode ?? '']
    const name = JSON.stringify([accountId, hour, keyId, code])
    const earlier = rows.get(name)?.count ?? 0
    rows.set(name, { accountId, keyId, code, hour: new Date(hour), count: earlier + count })
  }
  return inOrder(rows)
}

function mergeByKey(refused: readonly Receipt[]): Opened[] {
  const rows = new Map<string, Opened>()
  for (const { account: accountId, key: keyId, code: errorCode, at, count, model, refused: amounts } of refused) {
    const code = errorCode ?? ''
    const name = JSON.stringify([accountId, keyId, code])
    const earlier = rows.get(name)
    const time = new Date(at * 1000)
    const smallest = earlier?.smallest ?? null
    rows.set(name, {
      accountId,
      keyId,
      code,
      model,
      since: earlier === undefined || time < earlier.since ? time : earlier.since,
      lastAt: earlier === undefined || time > earlier.lastAt ? time : earlier.lastAt,
      count: (earlier?.count ?? 0) + count,
      smallest:
        smallest !== null && amounts !== null && smallest.needed < amounts.needed ? smallest : (amounts ?? smallest)
    })
  }
  return inOrder(rows)
}

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
    code,
    reason: refusalReason(code),
    since: since.toISOString(),
    last_at: lastAt.toISOString(),
    requests: count,
    model,
    ...showRefused(smallest)
  }
}
