import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CatalogFile } from '@tollgate/contracts/catalog/catalog-file.ts'
import { parse, stringify } from 'yaml'

const shippedCatalog = fileURLToPath(new URL('../../../deploy/catalog.yaml', import.meta.url))

/**
 * Writes the shipped catalog, with further names for its cheapest chat model that make the sandbox's model server
 * misbehave, all of them in the free plan too.
 *
 * @param behaviours our name of the model → its name at the model server, with directives
 * @returns the path of the file
 */
export function catalogWith(directory: string, behaviours: Record<string, string>): string {
  const catalog = parse(readFileSync(shippedCatalog, 'utf8')) as CatalogFile
  for (const [name, model] of Object.entries(behaviours)) {
    catalog.models[name] = { ...catalog.models['gpt-4o-mini']!, route: [{ upstream: 'openai', model }] }
    const { free } = catalog.plans
    if (free !== undefined && free.models !== 'all') free.models.push(name)
  }
  const file = join(directory, 'catalog.yaml')
  writeFileSync(file, stringify(catalog))
  return file
}
