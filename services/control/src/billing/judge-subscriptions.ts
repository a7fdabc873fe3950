import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { PlanPrices } from '../catalog/plan-prices.ts'
import { isSubscriptionLive } from './live-subscription.ts'
import type { Subscription } from './payments.ts'

/** What follows from a customer's subscriptions. */
export type BillingFacts = {
  readonly plan: string
  /** Of the subscription that leads to the plan, or else of the newest that there was; null if there was none. */
  readonly status: string | null
  readonly subscriptionId: string | null
  readonly priceId: string | null
  readonly isPastDue: boolean
  /** When it is next paid for; null if that will not happen. */
  readonly renewsAt: Date | null
  /** When it ends, if it has been cancelled. */
  readonly cancelAt: Date | null
}

export type Judgement = {
  readonly facts: BillingFacts
  /** What cannot be told from the catalog, for the operator: the plan is kept meanwhile. Empty if all is known. */
  readonly unknown: readonly string[]
}

/** With these the plan of the price is in force. A payment that failed is tried again for a while. */
const entitling = new Set(['trialing', 'active', 'past_due'])
/** With these there is no plan. `incomplete` is no subscription yet: its first payment is due. */
const others = new Set(['incomplete', 'incomplete_expired', 'canceled', 'unpaid', 'paused'])

/** What every account has that never bought anything. */
export const noSubscription: BillingFacts = {
  plan: freePlan,
  status: null,
  subscriptionId: null,
  priceId: null,
  isPastDue: false,
  renewsAt: null,
  cancelAt: null
}

/**
 * Decides on a customer's plan by all subscriptions that they have or had, in any order. Of several that entitle to a
 * plan, the one that comes last in the catalog is in force.
 *
 * @param kept the plan that stays while a price, or a status, is not known
 */
export function judgeSubscriptions(
  prices: PlanPrices,
  subscriptions: readonly Subscription[],
  kept: string
): Judgement {
  const unknown = subscriptions.flatMap((subscription) => describeUnknown(prices, subscription))
  const entitled = subscriptions.filter((one) => entitling.has(one.status) && planOf(prices, one) !== null)
  const [best] = entitled.sort(
    (a, b) => rankOf(prices, b) - rankOf(prices, a) || trouble(a) - trouble(b) || byAge(a, b)
  )
  if (best !== undefined) return { facts: factsOf(prices, best, planOf(prices, best)!), unknown }
  const [unclear] = subscriptions.filter((one) => describeUnknown(prices, one).length > 0).sort(byAge)
  if (unclear !== undefined) return { facts: factsOf(prices, unclear, kept), unknown }
  const [newest] = subscriptions.toSorted(
    (a, b) => Number(isSubscriptionLive(b.status)) - Number(isSubscriptionLive(a.status)) || byAge(b, a)
  )
  return { facts: newest === undefined ? noSubscription : factsOf(prices, newest, freePlan), unknown }
}

/**
 * Subscriptions that should not be: our checkout made each of them for the same account, for instance because two of its
 * pages were paid at the same moment. One stays: the oldest of those that are paid.
 */
export function findSurplus(
  prices: PlanPrices,
  subscriptions: readonly Subscription[],
  accountId: string
): Subscription[] {
  const ours = subscriptions.filter(
    (one) => one.accountId === accountId && entitling.has(one.status) && planOf(prices, one) !== null
  )
  return ours.sort((a, b) => trouble(a) - trouble(b) || byAge(a, b)).slice(1)
}

function factsOf(prices: PlanPrices, subscription: Subscription, plan: string): BillingFacts {
  const { id, status, priceIds, periodEndsAt, cancelAt, isUnpaid } = subscription
  const isEntitled = entitling.has(status)
  return {
    plan,
    status,
    subscriptionId: id,
    priceId: priceIds.find((price) => prices.planOf(price) === plan) ?? priceIds[0] ?? null,
    isPastDue: status === 'past_due' || status === 'unpaid' || (isEntitled && isUnpaid),
    renewsAt: isEntitled && cancelAt === null ? periodEndsAt : null,
    cancelAt: isSubscriptionLive(status) ? cancelAt : null
  }
}

/** The best plan among the prices of a subscription; null if the catalog knows none of them. */
function planOf(prices: PlanPrices, { priceIds }: Subscription): string | null {
  const plans = priceIds.flatMap((id) => prices.planOf(id) ?? [])
  return plans.sort((a, b) => prices.rankOf(b) - prices.rankOf(a))[0] ?? null
}

const rankOf = (prices: PlanPrices, one: Subscription): number => prices.rankOf(planOf(prices, one) ?? '')
const trouble = ({ status }: Subscription): number => (status === 'past_due' ? 1 : 0)
const byAge = (a: Subscription, b: Subscription): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)

function describeUnknown(prices: PlanPrices, subscription: Subscription): string[] {
  const { id, status, priceIds } = subscription
  if (others.has(status)) return []
  if (!entitling.has(status)) return [`status ${status} of ${id}`]
  return planOf(prices, subscription) === null ? [`price ${priceIds.join(', ')} of ${id}`] : []
}
