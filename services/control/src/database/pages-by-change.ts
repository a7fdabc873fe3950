import { gt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Rows that are in memory at once, for each walk under way. */
export const pageSize = 1000

type Row = { version: number; id: string }

/**
 * Walks through the rows of a query in the order of (version, id), from the first after a change on. Rows that change
 * meanwhile come again.
 *
 * @param query reads the first {@link pageSize} rows, in that order, to which a condition applies
 */
export async function* pagesOf<Found extends Row>(
  table: { version: PgColumn; id: PgColumn },
  change: number,
  query: (after: SQL) => Promise<Found[]>
): AsyncGenerator<Found[]> {
  let after: SQL = gt(table.version, change)
  for (;;) {
    const rows = await query(after)
    if (rows.length > 0) yield rows
    if (rows.length < pageSize) return
    const last = rows.at(-1)!
    // Rows of one change share its number.
    after = sql`(${table.version}, ${table.id}) > (${last.version}, ${last.id})`
  }
}
