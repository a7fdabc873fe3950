import { setTimeout as delay } from 'node:timers/promises'
import type { AdminCatalogResponse, ApplyCatalogResponse } from '@tollgate/contracts/http/admin/catalog.ts'
import type { AdminSystemResponse } from '@tollgate/contracts/http/admin/system.ts'
import type { CatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { parse, stringify } from 'yaml'
import type { Person } from './person.ts'

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
