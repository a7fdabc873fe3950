import type { SeedProduct } from '@tollgate/sandbox/payments/settings.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { Variables } from './embedded.ts'

const shippedCatalog = workspaceFile('deploy/catalog.yaml')

/**
 * Lists the products of the payments server: every price of the catalog, including legacy prices.
 *
 * @throws FileError that names the catalog's errors
 */
export function productsOf(env: Variables): SeedProduct[] {
  const { plans } = loadCatalogFile(env.CATALOG_FILE || shippedCatalog)
  return Object.entries(plans).flatMap(([id, { name, prices = [] }]) =>
    prices.length === 0
      ? []
      : [
          {
            id: `prod_${id}`,
            name,
            prices: prices.map((price) => ({
              id: price.id,
              unit_amount: price.amount,
              currency: price.currency,
              interval: price.interval
            }))
          }
        ]
  )
}
