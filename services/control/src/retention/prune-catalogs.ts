import { and, isNotNull, lt, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { catalogs } from '../database/schema/catalog.ts'

/**
 * Deletes the content of catalogs stored before a time, except that of the one in force. The rows stay with their digests, so
 * that a superseded file never counts as new.
 *
 * @returns how many
 */
export async function pruneCatalogs(orm: Orm, before: Date): Promise<number> {
  const newest = sql`(select max(${catalogs.version}) from ${catalogs})`
  const pruned = await orm
    .update(catalogs)
    .set({ json: null, yaml: null })
    .where(and(lt(catalogs.createdAt, before), lt(catalogs.version, newest), isNotNull(catalogs.json)))
    .returning({ version: catalogs.version })
  return pruned.length
}
