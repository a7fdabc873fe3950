import { type ExportedUsage, type ExportGroup, exportedCounts } from '@tollgate/contracts/http/admin/usage.ts'
import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'
import { type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { ledger } from '../database/schema/usage.ts'

/** Rows of one query. An answer of any length needs the memory of two such pages. */
const pageSize = 2000

export interface ExportRange {
  /** The first day, UTC. */
  readonly from: Date
  /** The first day after the range. */
  readonly to: Date
  readonly account?: string | undefined
  /** In the order of `exportGroups`; at least one. */
  readonly groups: readonly ExportGroup[]
}

interface Group {
  /** The column of the export. */
  readonly column: 'account_id' | 'day' | 'key_id' | 'model' | 'upstream'
  readonly expression: SQL
  readonly type: 'uuid' | 'text' | 'date'
}

const groupsByName: Record<ExportGroup, Group> = {
  account: { column: 'account_id', expression: sql`${ledger.accountId}`, type: 'uuid' },
  day: { column: 'day', expression: sql`(${ledger.hour} at time zone 'UTC')::date`, type: 'date' },
  key: { column: 'key_id', expression: sql`${ledger.keyId}`, type: 'text' },
  model: { column: 'model', expression: sql`${ledger.model}`, type: 'text' },
  upstream: { column: 'upstream', expression: sql`${ledger.upstream}`, type: 'text' }
}

type Row = Record<Group['column'] | (typeof exportedCounts)[number] | 'cost' | 'margin', string>

/**
 * Reads the ledger of a range, grouped and sorted by columns, in pages. Each page adds up its part of the range from
 * the beginning, so with days, parts come one after the other: of one account each day, which its index finds. Of all
 * accounts each month, because the ledger has a partition for each month.
 */
export async function* readExport(orm: Orm, range: ExportRange): AsyncGenerator<ExportedUsage[]> {
  const parts = range.groups.includes('day') ? partsOf(range) : [range]
  for (const part of parts) {
    let after: Row | null = null
    for (;;) {
      const rows: Row[] = await queryRows<Row>(orm, pageAfter({ ...range, ...part }, after))
      if (rows.length > 0) yield rows.map((row) => toExported(row, range.groups))
      if (rows.length < pageSize) break
      after = rows.at(-1)!
    }
  }
}

/** The primary key begins with account and hour, so a page starts reading at the account of the last row. */
function pageAfter({ from, to, account, groups }: ExportRange, after: Row | null): SQL {
  const by = groups.map((group) => groupsByName[group])
  const columns = by.map(({ column, expression }) => sql`(${expression})::text as ${sql.identifier(column)}`)
  const list = sql.join(
    by.map(({ expression }) => expression),
    sql`, `
  )
  const hour = (time: Date) => sql.param(time, ledger.hour)
  const conditions = [sql`${ledger.hour} >= ${hour(from)}`, sql`${ledger.hour} < ${hour(to)}`]
  if (account !== undefined) conditions.push(sql`${ledger.accountId} = ${account}::uuid`)
  if (after !== null && groups.includes('account')) {
    conditions.push(sql`${ledger.accountId} >= ${after.account_id}::uuid`)
  }
  const last = by.map(({ column, type }) => sql`${after?.[column] ?? ''}::${sql.raw(type)}`)
  return sql`
    select ${sql.join([...columns, ...sums], sql`, `)}
    from ${ledger}
    where ${sql.join(conditions, sql` and `)}
    group by ${list}
    ${after === null ? sql`` : sql`having (${list}) > (${sql.join(last, sql`, `)})`}
    order by ${list}
    limit ${pageSize}`
}

const sums: readonly SQL[] = [
  ...exportedCounts.map((count) => sql`sum(${sql.identifier(count)})::text as ${sql.identifier(count)}`),
  sql`sum(${ledger.costNanos})::text as cost`,
  sql`sum(${ledger.marginNanos})::text as margin`
]

const toExported = (row: Row, groups: readonly ExportGroup[]): ExportedUsage =>
  ({
    ...Object.fromEntries(groups.map((group) => [groupsByName[group].column, row[groupsByName[group].column]])),
    ...Object.fromEntries(exportedCounts.map((count) => [count, Number(row[count])])),
    cost_usd: formatSignedUsd(BigInt(row.cost)),
    provider_cost_usd: formatSignedUsd(BigInt(row.cost) - BigInt(row.margin)),
    margin_usd: formatSignedUsd(BigInt(row.margin))
  }) as ExportedUsage

/** The columns of rows with these groups, in order. */
export const exportColumns = (groups: readonly ExportGroup[]): Array<keyof ExportedUsage> => [
  ...groups.map((group) => groupsByName[group].column),
  ...exportedCounts,
  'cost_usd',
  'provider_cost_usd',
  'margin_usd'
]

type Part = Pick<ExportRange, 'from' | 'to'>

/** Splits a range at each midnight for one account, else at the first day of each month; UTC. */
function partsOf({ from, to, account }: ExportRange): Part[] {
  const parts: Part[] = []
  for (let first = from; first < to; ) {
    const [year, month, day] = [first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()]
    const next = new Date(account === undefined ? Date.UTC(year, month + 1) : Date.UTC(year, month, day + 1))
    parts.push({ from: first, to: next < to ? next : to })
    first = next
  }
  return parts
}
