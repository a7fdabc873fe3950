import { and, asc, gt, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Rows that are in memory at once, for each walk under way. */
export const pageSize = 1000

type Row = { shard: string; version: number; id: string }
type Columns = { shard: PgColumn; version: PgColumn; id: PgColumn }

/** The order in which {@link pagesOf} walks: an index of (shard, version) has it. */
export const walkOrder = ({ shard, version, id }: Columns): SQL[] => [asc(shard), asc(version), asc(id)]

/**
 * Walks through the rows of some shards, of each from the first after a change on. Rows that change meanwhile come again.
 *
 * @param query reads the first {@link pageSize} rows, in {@link walkOrder}, to which a condition applies
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
  // The range is what an index is read by; the list leaves out what lies between.
  const [first, last] = [all[0]!, all.at(-1)!]
  let after: SQL = sql`${shard} >= ${first}`
  for (;;) {
    const rows = await query(and(after, lte(shard, last), inArray(shard, all), gt(version, change))!)
    if (rows.length > 0) yield rows
    if (rows.length < pageSize) return
    const end = rows.at(-1)!
    // Rows of one change share its number.
    after = sql`(${shard}, ${version}, ${id}) > (${end.shard}, ${end.version}, ${end.id})`
  }
}
