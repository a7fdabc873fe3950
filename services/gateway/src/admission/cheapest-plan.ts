import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import { isOnSale, monthlyAmount } from '@tollgate/contracts/catalog/plans-on-sale.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

/** The cheapest plan on sale that a condition holds for; null if there is none. Everybody may know plans on sale. */
export function cheapestPlan(catalog: CatalogView, holds: (plan: Plan, id: string) => boolean): Plan | null {
  const [cheapest] = [...catalog.planNames()]
    .map((id) => [id, catalog.plan(id)] as const)
    .filter(([id, plan]) => isOnSale(id, plan) && holds(plan, id))
    .toSorted((one, other) => monthlyAmount(...one) - monthlyAmount(...other))
  return cheapest?.[1] ?? null
}
