import { formatAmount } from '@tollgate/contracts/money/currency.ts'
import type { SitePlan } from './site-facts.ts'

type Price = SitePlan['prices'][number]

export const intervals = ['month', 'year'] as const

/** The price of a plan for an interval; undefined if it has none. */
export const priceOf = (plan: Pick<SitePlan, 'prices'>, interval: Price['interval']): Price | undefined =>
  plan.prices.find((price) => price.interval === interval)

/** The plan with the lowest price of a month; null if none is on sale. */
export function cheapestOffer(plans: readonly SitePlan[]): { plan: SitePlan; price: Price } | null {
  const offers = plans.flatMap((plan) => {
    const price = priceOf(plan, 'month')
    return price === undefined ? [] : [{ plan, price }]
  })
  return offers.toSorted((one, other) => one.price.amount - other.price.amount)[0] ?? null
}

/** A price of a plan without its interval, and without the cents of a whole amount: `$20`. */
export const writeAmount = ({ amount, currency }: Price): string =>
  formatAmount(amount, currency, 'en-US').replace(/\.00$/, '')
