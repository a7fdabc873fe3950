import { freePlan, type Plan } from './catalog.ts'

/** Whether anybody can get the plan without the operator: it is free, or a price of it is on sale. */
export const isOnSale = (id: string, { prices = [] }: Pick<Plan, 'prices'>): boolean =>
  id === freePlan || prices.some(({ isSold }) => isSold)

/** What a month of a plan costs at its lowest price on sale, in the currency's smallest unit. Infinity if none is. */
export function monthlyAmount(id: string, { prices = [] }: Pick<Plan, 'prices'>): number {
  if (id === freePlan) return 0
  const sold = prices.filter(({ isSold }) => isSold)
  return Math.min(...sold.map(({ interval, amount }) => amount / (interval === 'year' ? 12 : 1)))
}
