import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AdminCatalogResponse, ApplyCatalogResponse } from '@tollgate/contracts/http/admin/catalog.ts'
import type { AdminSystemResponse } from '@tollgate/contracts/http/admin/system.ts'
import type { CatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { parse, stringify } from 'yaml'
import type { Person } from './person.ts'

const shippedCatalog = workspaceFile('deploy/catalog.yaml')

/**
 * Adds models that make the sandbox's model server misbehave. They copy the cheapest chat model of the shipped catalog
 * and are in the free plan.
 *
 * @param behaviours name of the model → its name at the model server, with directives
 * @param prices more prices of these models, in USD per million tokens
 */
export function addModels(
  catalog: CatalogFile,
  behaviours: Record<string, string>,
  prices: Record<string, number> = {}
): void {
  for (const [name, model] of Object.entries(behaviours)) {
    const cheapest = catalog.models['gpt-4o-mini']!
    const usd_per_million_tokens = { ...cheapest.usd_per_million_tokens, ...prices }
    catalog.models[name] = { ...cheapest, usd_per_million_tokens, route: [{ upstream: 'openai', model }] }
    const { free } = catalog.plans
    if (free !== undefined && free.models !== 'all') free.models.push(name)
  }
}

/** Writes the shipped catalog with {@link addModels}. @returns the path of the file */
export function writeCatalogWith(directory: string, behaviours: Record<string, string>): string {
  const catalog = parse(readFileSync(shippedCatalog, 'utf8')) as CatalogFile
  addModels(catalog, behaviours)
  const file = join(directory, 'catalog.yaml')
  // A reader refuses a file with many aliases.
  writeFileSync(file, stringify(catalog, { aliasDuplicateObjects: false }))
  return file
}

/** A text of the catalog that is in force, with a change. */
export async function changedCatalog(operator: Person, change: (catalog: CatalogFile) => void): Promise<string> {
  const { body } = await operator.call<AdminCatalogResponse>('GET', '/api/admin/catalog')
  const catalog = parse(body.yaml!) as CatalogFile
  change(catalog)
  // A reader refuses a file with many aliases.
  return stringify(catalog, { aliasDuplicateObjects: false })
}

/** Puts a catalog in force, without waiting for the gateways. @returns its version */
export async function applyCatalog(operator: Person, yaml: string): Promise<number> {
  const applied = await operator.call<ApplyCatalogResponse>('POST', '/api/admin/catalog', { yaml, reason: 'a test' })
  if (applied.status !== 200) throw new Error(`the catalog was not applied: ${JSON.stringify(applied.body)}`)
  return applied.body.catalog.version
}

/** Changes the catalog of a running system until the end of the test. Resolves when all gateways have it. */
export async function changeCatalog(
  t: { teardown(handler: () => Promise<void>): void },
  operator: Person,
  change: (catalog: CatalogFile) => void
): Promise<void> {
  const before = await changedCatalog(operator, () => {})
  t.teardown(async () => void (await applyCatalog(operator, before)))
  const version = await applyCatalog(operator, await changedCatalog(operator, change))
  for (;;) {
    const { body } = await operator.call<AdminSystemResponse>('GET', '/api/admin/system')
    if (body.system.gateways.every(({ catalog_version }) => catalog_version !== null && catalog_version >= version))
      return
    await delay(100)
  }
}
