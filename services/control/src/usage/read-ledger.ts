import type { UsageBucket, UsageGrouping } from '@tollgate/contracts/http/usage.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { type ShownCount, shownCounters, shownCounts, usageCounters } from '@tollgate/contracts/usage/usage-counters.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type Orm, queryRows } from '../database/connect.ts'
import { ledger } from '../database/schema/usage.ts'
import type { UsageRange } from './usage-range.ts'

type Sums = Record<ShownCount, string> & {
  start: string
  part: string | null
  cost: string
}

/** Never below zero: the ledger may have a correction before the row that it corrects. */
const total = (column: PgColumn): SQL => sql`greatest(sum(${column}), 0)::text`

const totals = sql.join(
  shownCounters.map((counter) => sql`${total(ledger[counter])} as ${sql.identifier(usageCounters[counter])}`),
  sql`, `
)

const partColumn = { model: ledger.model, key: ledger.keyId } as const

/**
 * Reads an account's usage in a range, ordered by time and then by model or key.
 *
 * @param limit the maximum number of buckets
 * @returns null if there are more
 */
export async function readUsage(
  orm: Orm,
  accountId: string,
  { from, to, interval }: UsageRange,
  groupBy: UsageGrouping,
  limit: number
): Promise<UsageBucket[] | null> {
  const part = groupBy === 'none' ? sql`null::text` : sql`${partColumn[groupBy]}`
  const bucket = sql`date_trunc(${sql.raw(`'${interval}'`)}, ${ledger.hour} at time zone 'UTC')`
  const rows = await queryRows<Sums>(
    orm,
    sql`
      select
        to_char(${bucket}, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') as start, ${part} as part,
        ${totals}, ${total(ledger.costNanos)} as cost
      from ${ledger}
      where ${within(accountId, from, to)}
      group by 1, 2
      order by 1, 2
      limit ${limit + 1}`
  )
  return rows.length > limit ? null : rows.map((row) => toBucket(row, groupBy))
}

/** What an account spent in a range, in nanodollars. */
export async function readSpend(orm: Orm, accountId: string, from: Date, to: Date): Promise<bigint> {
  const [row] = await queryRows<{ cost: string }>(
    orm,
    sql`select ${total(ledger.costNanos)} as cost from ${ledger} where ${within(accountId, from, to)}`
  )
  return BigInt(row!.cost)
}

function within(accountId: string, from: Date, to: Date): SQL {
  const hour = (time: Date) => sql.param(time, ledger.hour)
  return sql`${ledger.accountId} = ${accountId} and ${ledger.hour} >= ${hour(from)} and ${ledger.hour} < ${hour(to)}`
}

function toBucket(row: Sums, groupBy: UsageGrouping): UsageBucket {
  return {
    start: row.start,
    ...(groupBy === 'model' && { model: row.part! }),
    ...(groupBy === 'key' && { key_id: row.part! }),
    ...(Object.fromEntries(shownCounts.map((count) => [count, Number(row[count])])) as Record<ShownCount, number>),
    cost_usd: formatUsd(BigInt(row.cost))
  }
}
