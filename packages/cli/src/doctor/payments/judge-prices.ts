import type { Plan, PlanPrice } from '@tollgate/contracts/catalog/catalog.ts'
import { type Finding, resultsOf } from '../results/result.ts'
import type { Call, StripePrice } from './read-payments.ts'

const { error, warning } = resultsOf('Stripe')

/** Compares each price of the catalog with Stripe's. */
export function judgePrices(
  found: ReadonlyMap<string, Call<StripePrice>>,
  plans: ReadonlyArray<readonly [id: string, plan: Plan]>
): Finding[] {
  const refused = [...found.values()].find((call) => call.kind === 'refused')
  if (refused?.kind === 'refused') {
    return [
      warning('payments_prices_unreadable', {
        what: `The key may not read prices: ${refused.message}`,
        why: 'The prices of the catalog could not be compared with those at Stripe.',
        fix: 'Stripe: Developers → API keys → your restricted key: allow Prices: Read.'
      })
    ]
  }
  return plans.flatMap(([plan, { prices = [] }]) =>
    prices.flatMap((price) => judgePrice(price, plan, found.get(price.id)))
  )
}

function judgePrice(price: PlanPrice, plan: string, call: Call<StripePrice> | undefined): Finding[] {
  const name = `${price.id} of plan ${plan}`
  const catalog = `plans.${plan}.prices in the catalog`
  if (call?.kind === 'absent') {
    const text = {
      what: `Stripe has no price ${name}.`,
      why: price.isSold ? 'Nobody can buy the plan at this price.' : 'Stripe cannot bill subscribers at this price.',
      fix: `Copy the id from Stripe: Product catalog → the product → the price, into ${catalog}. Is it from the mode (test or live) of the key?`
    }
    return [price.isSold ? error('price_absent', text) : warning('price_absent', text)]
  }
  if (call?.kind !== 'found') return []
  const { value } = call
  if (value.type !== 'recurring' || value.recurring === null) {
    return [
      error('price_not_recurring', {
        what: `The price ${name} is a one-time price at Stripe.`,
        why: 'Checkout refuses it for a subscription.',
        fix: `Stripe: Product catalog → the product: add a recurring price, and put its id into ${catalog}.`
      })
    ]
  }
  return [...judgeArchived(price, name, value), ...judgeTerms(price, name, catalog, value)]
}

function judgeArchived({ isSold }: PlanPrice, name: string, { active }: StripePrice): Finding[] {
  if (active || !isSold) return []
  return [
    error('price_archived', {
      what: `The price ${name} is archived at Stripe.`,
      why: 'Nobody can buy the plan at this price.',
      fix: 'Stripe: Product catalog → the product → the price → Unarchive. Or set `sold: false` in the catalog.'
    })
  ]
}

function judgeTerms(price: PlanPrice, name: string, catalog: string, value: StripePrice): Finding[] {
  const { interval, interval_count: count } = value.recurring!
  const charged = `${value.unit_amount ?? 'a tiered amount of'} ${value.currency} per ${count === 1 ? '' : `${count} `}${interval}`
  const shown = `${price.amount} ${price.currency} per ${price.interval}`
  if (charged === shown) return []
  return [
    error('price_differs', {
      what: `The price ${name} is ${shown} in the catalog, and ${charged} at Stripe.`,
      why: 'Customers see one price and pay another.',
      fix: `Correct ${catalog}, or make a new price at Stripe. Amounts are in the smallest unit: 2000 usd is USD 20.`
    })
  ]
}
