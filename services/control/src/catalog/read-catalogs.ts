import type { PublishedCatalog } from '@tollgate/contracts/http/admin/catalog.ts'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { catalogs } from '../database/schema/catalog.ts'
import { users } from '../database/schema/users.ts'

const sizeOf = (member: 'models' | 'plans') =>
  sql<number>`(select count(*) from json_object_keys(${catalogs.json}::json -> ${sql.raw(`'${member}'`)}))`.mapWith(
    Number
  )

/** The newest catalogs, newest first, without their content. The first one is in force. */
export async function listCatalogs(orm: Orm, limit: number): Promise<PublishedCatalog[]> {
  const rows = await orm
    .select({
      version: catalogs.version,
      sha256: catalogs.sha256,
      createdAt: catalogs.createdAt,
      operatorId: catalogs.operatorId,
      operatorEmail: users.email,
      reason: catalogs.reason,
      models: sizeOf('models'),
      plans: sizeOf('plans'),
      isKept: sql<boolean>`${catalogs.json} is not null`
    })
    .from(catalogs)
    .leftJoin(users, and(eq(users.id, catalogs.operatorId), isNull(users.deletedAt)))
    .orderBy(desc(catalogs.version))
    .limit(limit)
  return rows.map((row) => ({
    version: row.version,
    sha256: row.sha256,
    published_at: row.createdAt.toISOString(),
    published_by: row.operatorId === null ? 'file' : 'operator',
    operator_email: row.operatorEmail,
    reason: row.reason,
    models: row.models,
    plans: row.plans,
    is_kept: row.isKept
  }))
}

/** The content of a catalog; null if it does not exist. Its `json` is null if the content is no longer kept. */
export async function readCatalogRow(orm: Orm, version: number) {
  const [row] = await orm
    .select({ json: catalogs.json, yaml: catalogs.yaml })
    .from(catalogs)
    .where(eq(catalogs.version, version))
  return row ?? null
}
