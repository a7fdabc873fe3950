import { and, asc, gt, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Rows in memory at once, for each running iteration. */
export const pageSize = 1000

interface Row {
  shard: string
  version: number
  id: string
}
interface Columns {
  shard: PgColumn
  version: PgColumn
  id: PgColumn
}

/** The order of {@link pagesOf}: an index of (shard, version) has it. */
export const pageOrder = ({ shard, version, id }: Columns): SQL[] => [asc(shard), asc(version), asc(id)]

/**
 * Reads the rows of some shards page by page, those after a change. Rows that change meanwhile come again.
 *
 * @param query reads the first {@link pageSize} rows that meet a condition, in {@link pageOrder}
 */
export async function* pagesOf<Found extends Row>(
  columns: Columns,
  shards: readonly string[],
  change: number,
  query: (condition: SQL) => Promise<Found[]>
): AsyncGenerator<Found[]> {
  const { shard, version, id } = columns
  const all = shards.toSorted()
  if (all.length === 0) return
  // The index is read by the range; the list skips other shards in the range.
  const [first, last] = [all[0]!, all.at(-1)!]
  let after: SQL = sql`${shard} >= ${first}`
  for (;;) {
    const rows = await query(and(after, lte(shard, last), inArray(shard, all), gt(version, change))!)
    if (rows.length > 0) yield rows
    if (rows.length < pageSize) return
    const end = rows.at(-1)!
    // Rows of one change have the same version.
    after = sql`(${shard}, ${version}, ${id}) > (${end.shard}, ${end.version}, ${end.id})`
  }
}
