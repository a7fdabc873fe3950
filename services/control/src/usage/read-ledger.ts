import type { UsageBucket, UsageGrouping } from '@tollgate/contracts/http/usage.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import {
  type ShownCount,
  shownCounters,
  shownCounts,
  type UsageCounter,
  usageCounters
} from '@tollgate/contracts/usage/usage-counters.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type Orm, queryRows } from '../database/connect.ts'
import { ledger } from '../database/schema/usage.ts'
import { type GroupRow, groupMembers, groupSql, markOthers, onlyWanted, type UsageGroups } from './usage-groups.ts'
import type { UsageRange } from './usage-range.ts'

type Sums = Record<ShownCount, string> & GroupRow & { start: string; cost: string }

/** Never below zero: the ledger may have a correction before the row that it corrects. */
const total = (term: SQL | PgColumn): SQL => sql`greatest(sum(${term}), 0)::text`

const named = (counter: UsageCounter): SQL => sql`${sql.identifier(usageCounters[counter])}`
const counted = [...shownCounters, 'costNanos'] as const
const sums = sql.join(
  counted.map((counter) => sql`sum(${ledger[counter]}) as ${named(counter)}`),
  sql`, `
)
const totals = sql.join(
  shownCounters.map((counter) => sql`${total(named(counter))} as ${named(counter)}`),
  sql`, `
)

/**
 * Reads an account's usage in a range, ordered by time and then by group.
 *
 * @param limit the maximum number of buckets
 * @returns null if there are more
 */
export async function readUsage(
  orm: Orm,
  accountId: string,
  range: UsageRange,
  groups: UsageGroups,
  limit: number
): Promise<UsageBucket[] | null> {
  const rows = await queryRows<Sums>(orm, usageOf(accountId, range, groups, limit + 1))
  return rows.length > limit ? null : rows.map((row) => toBucket(row, groups.groupBy))
}

/** Exported for tests of its query plan. */
export function usageOf(
  accountId: string,
  { from, to, interval }: UsageRange,
  groups: UsageGroups,
  limit: number
): SQL {
  const { groupBy, top } = groups
  const { part, join } = groupSql(groupBy, ledger)
  return sql`
    with used as (
      select date_trunc('${sql.raw(interval)}', ${ledger.hour} at time zone 'UTC') as start, ${part} as part, ${sums}
      from ${ledger} ${join}
      where ${within(accountId, from, to)}${onlyWanted(groups, ledger)}
      group by 1, 2
    ), marked as (${markOthers(sql`used`, sql`cost_nanos`, top)})
    select
      to_char(start, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') as start, case when others then null else part end as part, others,
      ${totals}, ${total(named('costNanos'))} as cost
    from marked
    group by marked.start, case when others then null else part end, others
    order by marked.start, others, 2
    limit ${limit}`
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
    ...groupMembers(groupBy, row),
    ...(Object.fromEntries(shownCounts.map((count) => [count, Number(row[count])])) as Record<ShownCount, number>),
    cost_usd: formatUsd(BigInt(row.cost))
  }
}
