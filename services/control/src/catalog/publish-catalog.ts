import { hash } from 'node:crypto'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { desc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { catalogs } from '../database/schema/projection.ts'

/** Id of the advisory lock: an arbitrary number that also `add_ledger_month` uses, in a transaction of its own. */
const lock = 7_012_846_613

/** A catalog that is not published yet. */
export interface CatalogContent {
  /** The catalog, as the gateways read it. */
  readonly json: string
  /** The text of the file. */
  readonly yaml: string
}

export const contentOf = (catalog: Catalog, yaml: string): CatalogContent => ({
  json: JSON.stringify(catalog),
  yaml
})

/**
 * `publish-new`: only content that was never published is published. `apply`: content that was superseded is published
 * again.
 */
export type PublicationMode = 'publish-new' | 'apply'

export interface PublicationOptions {
  readonly mode: PublicationMode
  readonly at: Date
  /** The operator who applies it, and why; null for a file. */
  readonly operator: { readonly id: string; readonly reason: string } | null
  /** Called in the transaction of a publication. */
  readonly record?: (tx: Transaction, publication: Published) => Promise<void>
}

interface Published {
  readonly outcome: 'published'
  readonly version: number
  /** The version in force until now; null for the first catalog. */
  readonly replaced: number | null
}

export type Publication =
  | Published
  /** The content is in force already. */
  | { readonly outcome: 'in force'; readonly version: number }
  /** The content was in force before, as `former`. Nothing was published. */
  | { readonly outcome: 'superseded'; readonly version: number; readonly former: number }

/** What {@link publishCatalog} would do now with a content: null if it would publish it. */
export function previewPublication(
  orm: Orm,
  content: CatalogContent,
  mode: PublicationMode
): Promise<Exclude<Publication, Published> | null> {
  return findObstacle(orm, content, mode).then(({ obstacle }) => obstacle)
}

/**
 * Stores a catalog as the one in force, if the mode allows it. Replicas that publish the same content together store it
 * once.
 */
export async function publishCatalog(
  orm: Orm,
  content: CatalogContent,
  { mode, at, operator, record }: PublicationOptions
): Promise<Publication> {
  return orm.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lock))})`)
    const { obstacle, inForce } = await findObstacle(tx, content, mode)
    if (obstacle !== null) return obstacle
    const { json, yaml } = content
    const by = { operatorId: operator?.id ?? null, reason: operator?.reason ?? null }
    const [row] = await tx
      .insert(catalogs)
      .values({ sha256: digestOf(content), json, yaml, ...by, createdAt: at })
      .returning({ version: catalogs.version })
    const published: Published = { outcome: 'published', version: row!.version, replaced: inForce?.version ?? null }
    await record?.(tx, published)
    return published
  })
}

/** Finds why a content is not published: it is in force, or the mode does not allow it. */
async function findObstacle(orm: Orm, content: CatalogContent, mode: PublicationMode) {
  const sha256 = digestOf(content)
  const inForce = await findNewest(orm, undefined)
  if (inForce === null) return { obstacle: null, inForce }
  const { version } = inForce
  if (inForce.sha256 === sha256) return { obstacle: { outcome: 'in force', version } as const, inForce }
  if (mode === 'apply') return { obstacle: null, inForce }
  // Another release may write other JSON for the same text.
  const isSame = content.yaml === null ? undefined : eq(catalogs.yaml, content.yaml)
  const former = await findNewest(orm, or(eq(catalogs.sha256, sha256), isSame))
  if (former === null || former.version === version) return { obstacle: null, inForce }
  return { obstacle: { outcome: 'superseded', version, former: former.version } as const, inForce }
}

const digestOf = ({ json }: CatalogContent): string => hash('sha256', json, 'hex')

async function findNewest(orm: Orm, where: SQL | undefined) {
  const [row] = await orm
    .select({ version: catalogs.version, sha256: catalogs.sha256 })
    .from(catalogs)
    .where(where)
    .orderBy(desc(catalogs.version))
    .limit(1)
  return row ?? null
}
