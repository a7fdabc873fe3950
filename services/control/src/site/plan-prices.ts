import { formatAmount } from '@tollgate/contracts/money/currency.ts'
import type { SitePlan } from './site-facts.ts'

/** The plan with the lowest price of a month; null if none is on sale. */
export function cheapestOffer(
  plans: readonly SitePlan[]
): { plan: SitePlan; price: SitePlan['prices'][number] } | null {
  const offers = plans.flatMap((plan) =>
    plan.prices.filter(({ interval }) => interval === 'month').map((price) => ({ plan, price }))
  )
  return offers.toSorted((one, other) => one.price.amount - other.price.amount)[0] ?? null
}

/** A price of a plan without its interval, and without the cents of a whole amount: `$20`. */
export const writeAmount = ({ amount, currency }: SitePlan['prices'][number]): string =>
  formatAmount(amount, currency, 'en-US').replace(/\.00$/, '')
