import { hash } from 'node:crypto'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { desc, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { catalogs } from '../database/schema/catalog.ts'

/** Id of the advisory lock: an arbitrary number that no other code uses. */
const lock = 7_012_846_613

/** Stores a catalog as the current one, unless it is current already. Replicas that start together store it once. */
export async function storeCatalog(orm: Orm, catalog: Catalog): Promise<void> {
  const json = JSON.stringify(catalog)
  const sha256 = hash('sha256', json, 'hex')
  await orm.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lock))})`)
    const [newest] = await tx
      .select({ sha256: catalogs.sha256 })
      .from(catalogs)
      .orderBy(desc(catalogs.version))
      .limit(1)
    if (newest?.sha256 !== sha256) await tx.insert(catalogs).values({ sha256, json, createdAt: new Date() })
  })
}
