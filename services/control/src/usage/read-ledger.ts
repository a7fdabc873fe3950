import type { UsageBucket, UsageGrouping } from '@tollgate/contracts/http/usage.ts'
import {
  type ShownCount,
  shownCounters,
  shownCounts,
  type UsageCounter,
  usageCounters
} from '@tollgate/contracts/meters/meters.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type Orm, queryRows } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'
import type { UsageRange } from './usage-range.ts'

type Sums = Record<ShownCount, string> & GroupRow & { start: string; cost: string }

/** Never below zero: the ledger may have a correction before the row that it corrects. */
const total = (term: SQL | PgColumn): SQL => sql`greatest(sum(${term}), 0)::text`

const named = (counter: UsageCounter): SQL => sql`${sql.identifier(usageCounters[counter])}`
const counters = [...shownCounters, 'costNanos'] as const
const sums = sql.join(
  counters.map((counter) => sql`sum(${ledger[counter]}) as ${named(counter)}`),
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

/** Which usage of an account a report sums, and how. */
export interface UsageGroups {
  readonly groupBy: UsageGrouping
  /** How many of the largest groups stay separate, by cost; null: all. */
  readonly top: number | null
  /** Only this key; the id of a key. */
  readonly key?: string | undefined
  /** Only this model. */
  readonly model?: string | undefined
}

const metadataPrefix = 'metadata.'

/** A table with a row for each use of a key. */
interface Used {
  readonly accountId: PgColumn
  readonly keyId: PgColumn
  readonly model: PgColumn
}

/** How SQL finds the group of a row: an expression, and what has to be joined for it. */
interface GroupSql {
  readonly part: SQL
  readonly join: SQL
}

/**
 * Groups rows of the ledger or the request log.
 *
 * The join names the account, too: the index of an account's keys then finds them, however many keys others have.
 */
export function groupSql(groupBy: UsageGrouping, used: Used): GroupSql {
  const join = sql`left join ${keys} on ${keys.id} = ${used.keyId} and ${keys.accountId} = ${used.accountId}`
  if (groupBy === 'model') return { part: sql`${used.model}`, join: sql`` }
  if (groupBy === 'key') return { part: sql`${used.keyId}`, join: sql`` }
  if (groupBy === 'member') return { part: sql`${keys.createdBy}::text`, join }
  if (groupBy === 'none') return { part: sql`null::text`, join: sql`` }
  return { part: sql`(${keys.metadata} ->> ${groupBy.slice(metadataPrefix.length)}::text)`, join }
}

/** Keeps only the rows of the key and the model that a report is about. */
export const onlyWanted = ({ key, model }: Pick<UsageGroups, 'key' | 'model'>, used: Used): SQL =>
  sql.join([
    key === undefined ? sql`` : sql` and ${used.keyId} = ${key}`,
    model === undefined ? sql`` : sql` and ${used.model} = ${model}`
  ])

/** A row of an answer: the group, or null; and whether it stands for the smaller groups together. */
export interface GroupRow {
  readonly part: string | null
  readonly others: boolean
}

/** The members of a bucket that say which group it belongs to. */
export function groupMembers(
  groupBy: UsageGrouping,
  { part, others }: GroupRow
): {
  model?: string
  key_id?: string
  member_id?: string | null
  metadata_value?: string | null
  others?: true
} {
  if (others) return { others }
  if (groupBy === 'model') return { model: part ?? '' }
  if (groupBy === 'key') return { key_id: part ?? '' }
  if (groupBy === 'member') return { member_id: part }
  return groupBy === 'none' ? {} : { metadata_value: part }
}

/**
 * Marks the rows of all groups but the largest. Equal groups are ordered by name, so that an answer does not change by
 * itself.
 *
 * @param size sums a row's part of the size of its group
 * @returns a select with all columns of `from`, and `others`
 */
export function markOthers(from: SQL, size: SQL, top: number | null): SQL {
  if (top === null) return sql`select *, false as others from ${from}`
  return sql`
    select *, dense_rank() over (order by size desc, part nulls last) > ${top}::int as others
    from (select *, sum(${size}) over (partition by part) as size from ${from}) as sized`
}
