import { and, lt, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { catalogs } from '../database/schema/catalog.ts'

/** Deletes catalogs stored before a time, except the current one. @returns how many */
export async function pruneCatalogs(orm: Orm, before: Date): Promise<number> {
  const newest = sql`(select max(${catalogs.version}) from ${catalogs})`
  const deleted = await orm
    .delete(catalogs)
    .where(and(lt(catalogs.createdAt, before), lt(catalogs.version, newest)))
    .returning({ version: catalogs.version })
  return deleted.length
}
