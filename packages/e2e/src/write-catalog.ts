import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { parse, stringify } from 'yaml'

const shippedCatalog = workspaceFile('deploy/catalog.yaml')

/**
 * Adds models that make the sandbox's model server misbehave. They copy the cheapest chat model of the shipped catalog and are in the free
 * plan.
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
