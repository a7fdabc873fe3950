import type { LatencyBucket, LatencyTotal, UsageGrouping } from '@tollgate/contracts/http/usage.ts'
import { receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import { type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { requests } from '../database/schema/requests.ts'
import { type GroupRow, groupMembers, groupSql, markOthers, onlyWanted, type UsageGroups } from './read-ledger.ts'
import type { UsageRange } from './usage-range.ts'

/** The maximum number of rows that an answer examines, and the parts of the range that share them in a sample. */
const maxRows = 20_000
const slices = 400
const settled = receiptKinds.indexOf('settled')

/** What bounds the work of a query; smaller in tests. */
export interface SampleSize {
  readonly maxRows: number
  readonly slices: number
}

export interface Latency {
  readonly buckets: LatencyBucket[]
  readonly totals: LatencyTotal[]
  readonly sampled: boolean
}

interface Row extends GroupRow {
  readonly start: string | null
  readonly requests: string
  /** Two numbers, as PostgreSQL writes an array: `{250,1200}`. */
  readonly first: string
  readonly whole: string
}

/**
 * Measures the successful requests of an account in the request log.
 *
 * A percentile needs the single values, so this bounds how many it reads. If the range has more, it is cut into equal
 * times, and the last requests of each are read. No index needs to know how many there are. A model has no index, so it
 * is chosen from these requests.
 *
 * @param limit the maximum number of buckets
 * @returns null if there are more
 */
export async function readLatency(
  orm: Orm,
  accountId: string,
  range: UsageRange,
  groups: UsageGroups,
  limit: number,
  size: SampleSize = { maxRows, slices }
): Promise<Latency | null> {
  const sampled = await hasMoreThan(orm, accountId, range, groups.key, size.maxRows)
  const read = sampled ? size : { maxRows: size.maxRows, slices: 1 }
  const rows = await queryRows<Row>(orm, latencyOf(accountId, range, groups, read))
  const buckets = rows.flatMap((row) =>
    row.start === null ? [] : [{ start: row.start, ...toTotal(row, groups.groupBy) }]
  )
  if (buckets.length > limit) return null
  const totals = rows.filter(({ start }) => start === null).map((row) => toTotal(row, groups.groupBy))
  return { buckets, totals: totals.sort((a, b) => b.requests - a.requests), sampled }
}

async function hasMoreThan(
  orm: Orm,
  accountId: string,
  range: UsageRange,
  key: string | undefined,
  count: number
): Promise<boolean> {
  const rows = await queryRows(
    orm,
    sql`
      select 1 as more from ${requests}
      where ${requests.accountId} = ${accountId} and ${between(range.from, range.to)}${onlyWanted({ key }, requests)}
      order by ${requests.at} desc offset ${count} limit 1`
  )
  return rows.length > 0
}

const between = (from: Date, to: Date): SQL =>
  sql`${requests.at} >= ${from.toISOString()}::timestamptz and ${requests.at} < ${to.toISOString()}::timestamptz`

/** Exported for tests of its query plan. Refused and failed requests would make an answer look fast. */
export function latencyOf(
  accountId: string,
  { from, to, interval }: UsageRange,
  groups: UsageGroups,
  size: SampleSize
): SQL {
  const { groupBy, top, key, model } = groups
  const sliceMs = Math.ceil((to.getTime() - from.getTime()) / size.slices)
  const last = sql`${new Date(to.getTime() - 1).toISOString()}::timestamptz`
  const width = sql.raw(`interval '${sliceMs} milliseconds'`)
  const { part, join } = groupSql(groupBy, requests)
  const percentiles = (column: SQL): SQL =>
    sql`percentile_disc(array[0.5, 0.95]::float8[]) within group (order by ${column})`
  return sql`
    with slice as (
      select slice_start from generate_series(${from.toISOString()}::timestamptz, ${last}, ${width}) as slice_start
    ), sample as (
      select requests.* from slice, lateral (
        select ${requests.at}, ${requests.accountId}, ${requests.keyId}, ${requests.model}, ${requests.rank}, ${requests.status},
          ${requests.firstByteMs}, ${requests.durationMs}
        from ${requests}
        where ${requests.accountId} = ${accountId} and ${requests.at} >= slice_start
          and ${requests.at} < least(slice_start + ${width}, ${to.toISOString()}::timestamptz)${onlyWanted({ key }, requests)}
        order by ${requests.at} desc
        limit ${sql.raw(String(Math.ceil(size.maxRows / size.slices)))}
      ) as requests
    ), measured as (
      select date_trunc('${sql.raw(interval)}', ${requests.at} at time zone 'UTC') as start, ${part} as part,
        ${requests.firstByteMs} as first, ${requests.durationMs} as whole
      from sample as requests ${join}
      where ${requests.rank} = ${sql.raw(String(settled))} and ${requests.status} between 200 and 299
        and ${requests.firstByteMs} is not null and ${requests.durationMs} is not null${onlyWanted({ model }, requests)}
    ), marked as (${markOthers(sql`measured`, sql`1`, top)}),
    named as (select start, case when others then null else part end as part, others, first, whole from marked)
    select to_char(start, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') as start, part, others, count(*)::text as requests,
      ${percentiles(sql`first`)}::text as first, ${percentiles(sql`whole`)}::text as whole
    from named
    group by grouping sets ((named.start, part, others), (part, others))
    order by named.start nulls last, others, part`
}

function toTotal(row: Row, groupBy: UsageGrouping): LatencyTotal {
  const percentiles = (array: string) => {
    const [p50, p95] = array.slice(1, -1).split(',').map(Number)
    return { p50: p50!, p95: p95! }
  }
  return {
    ...groupMembers(groupBy, row),
    requests: Number(row.requests),
    first_byte_ms: percentiles(row.first),
    duration_ms: percentiles(row.whole)
  }
}
