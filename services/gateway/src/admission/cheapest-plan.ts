import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import { isOnSale, monthlyAmount } from '@tollgate/contracts/catalog/plans-on-sale.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

/**
 * Finds the cheapest plan on sale that fits. Errors may name it, as everybody may know the plans on sale.
 *
 * @param fits whether a plan has what is looked for
 * @returns null if no plan does
 */
export function cheapestPlan(catalog: CatalogView, fits: (plan: Plan, id: string) => boolean): Plan | null {
  const [cheapest] = [...catalog.planNames()]
    .map((id) => [id, catalog.plan(id)] as const)
    .filter(([id, plan]) => isOnSale(id, plan) && fits(plan, id))
    .toSorted((one, other) => monthlyAmount(...one) - monthlyAmount(...other))
  return cheapest?.[1] ?? null
}
