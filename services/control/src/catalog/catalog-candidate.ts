import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { CatalogDiffRequest, PublishedCatalog } from '@tollgate/contracts/http/admin/catalog.ts'
import { parseCatalog } from '@tollgate/service/catalog/catalog-file.ts'
import { FileError } from '@tollgate/service/config/read-yaml.ts'
import { and, desc, eq, isNull, not, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { catalogs } from '../database/schema/projection.ts'
import { users } from '../database/schema/users.ts'
import { readPublished } from './live-catalog.ts'
import { effectivePlan } from './plans.ts'
import { type CatalogContent, contentOf } from './publish-catalog.ts'

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

/** A catalog that an operator wants to publish. */
export interface Candidate {
  readonly catalog: Catalog
  readonly content: CatalogContent
}

/** Largest version that PostgreSQL's `integer` has. */
const maxVersion = 2 ** 31 - 1

/**
 * Reads what an operator sent: the text of a file, or the version of an earlier catalog.
 *
 * @returns the catalog, or why it cannot be published
 */
export async function readCandidate(
  orm: Orm,
  request: CatalogDiffRequest
): Promise<Candidate | { problems: string[] }> {
  if ('yaml' in request) return parseText(request.yaml)
  const { version } = request
  const row = version > maxVersion ? null : await readCatalogRow(orm, version)
  if (row === null) return { problems: [`version: there is no catalog ${version}`] }
  const { json, yaml } = row
  if (json === null || yaml === null) {
    return { problems: [`version: the content of catalog ${version} is no longer kept; send the text of its file`] }
  }
  try {
    return { catalog: readPublished(version, json), content: { json, yaml } }
  } catch {
    // This release may still read the text that the other one read.
    return parseText(yaml)
  }
}

function parseText(yaml: string): Candidate | { problems: string[] } {
  try {
    const catalog = parseCatalog(yaml, 'catalog')
    return { catalog, content: contentOf(catalog, yaml) }
  } catch (error) {
    if (error instanceof FileError) return { problems: [...error.problems] }
    throw error
  }
}

/** Counts the accounts of each plan in force, without deleted ones. Plans may be unknown to the catalog. */
export async function countAccountsByPlan(orm: Orm): Promise<Map<string, number>> {
  const rows = await orm
    .select({ plan: accounts.planInForce, count: sql<number>`count(*)`.mapWith(Number) })
    .from(accounts)
    .where(not(sql`'deleted' = any (${accounts.suspensions})`))
    .groupBy(accounts.planInForce)
  return new Map(rows.map(({ plan, count }) => [plan, count]))
}

/** How many accounts have one of these plans, before or after a change of the catalog. */
export function countTouched(
  counts: ReadonlyMap<string, number>,
  plans: readonly string[],
  from: Catalog,
  to: Catalog
): number {
  let sum = 0
  for (const [plan, count] of counts) {
    if (plans.includes(effectivePlan(from, plan)) || plans.includes(effectivePlan(to, plan))) sum += count
  }
  return sum
}
