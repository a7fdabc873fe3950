import type { Catalog, PlanPrice } from '@tollgate/contracts/catalog/catalog.ts'

/** The catalog's prices at the payment provider. */
export interface PlanPrices {
  /** The plan that a price is for; null if the catalog has no such price. */
  planOf(priceId: string): string | null
  /** What a price costs in its currency's smallest unit; 0 for an unknown price. */
  amountOf(priceId: string): number
  /** Whether it is on sale now. */
  isSold(priceId: string): boolean
  /** A plan's position in the catalog, from 0; later plans are better. -1 for an unknown plan. */
  rankOf(plan: string): number
}

/** Reads the prices of a catalog. The result does not follow later catalogs. */
export function readPlanPrices({ plans }: Catalog): PlanPrices {
  const prices = new Map<string, { plan: string; price: PlanPrice }>()
  const ranks = new Map<string, number>()
  for (const [plan, { prices: own = [] }] of Object.entries(plans)) {
    ranks.set(plan, ranks.size)
    for (const price of own) prices.set(price.id, { plan, price })
  }
  return {
    planOf: (id) => prices.get(id)?.plan ?? null,
    amountOf: (id) => prices.get(id)?.price.amount ?? 0,
    isSold: (id) => prices.get(id)?.price.isSold ?? false,
    rankOf: (plan) => ranks.get(plan) ?? -1
  }
}
