import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { PlanPrices } from '../catalog/plans.ts'
import type { Subscription } from './payments.ts'

/** Statuses in which a subscription never charges again. */
export const endedStatuses = ['canceled', 'incomplete_expired'] as const
const ended: ReadonlySet<string> = new Set(endedStatuses)

/**
 * Whether a subscription charges, or may charge again: an unpaid or paused one may.
 *
 * @param status at the payment provider; null without a subscription
 */
export function isSubscriptionLive(status: string | null): boolean {
  return status !== null && !ended.has(status)
}

/** The plan and the payment status that follow from a customer's subscriptions. */
export interface BillingState {
  readonly plan: string
  /** Of the subscription that gives the plan, else of the newest one; null if there was never one. */
  readonly status: string | null
  readonly subscriptionId: string | null
  readonly priceId: string | null
  readonly isPastDue: boolean
  /** The next payment; null if there will be none. */
  readonly renewsAt: Date | null
  /** When it ends, if it has been cancelled. */
  readonly cancelAt: Date | null
}

export interface PlanDecision {
  readonly facts: BillingState
  /** Prices and statuses that the catalog or control does not know, for the operator. The plan is kept meanwhile. */
  readonly unknown: readonly string[]
  /** Subscriptions that are paid, but whose prices the catalog does not know. */
  readonly unmatched: readonly Subscription[]
}

/** A subscription that must end because another one of the account is kept. */
export interface Duplicate {
  readonly ended: Subscription
  readonly kept: Subscription
}

/** Statuses that entitle to the plan of the price. With `past_due`, the provider still retries the payment. */
const entitling = new Set(['trialing', 'active', 'past_due'])
/** Known statuses without a plan. `incomplete`: the first payment is still due. */
const others = new Set(['incomplete', 'incomplete_expired', 'canceled', 'unpaid', 'paused'])

/** The state of an account that never bought anything. */
export const noSubscription: BillingState = {
  plan: freePlan,
  status: null,
  subscriptionId: null,
  priceId: null,
  isPastDue: false,
  renewsAt: null,
  cancelAt: null
}

/**
 * Decides a customer's plan by all their subscriptions, in any order. If several entitle to a plan, the plan that comes
 * last in the catalog applies.
 *
 * @param currentPlan the plan that stays while a price or a status is unknown
 */
export function planFromSubscriptions(
  prices: PlanPrices,
  subscriptions: readonly Subscription[],
  currentPlan: string
): PlanDecision {
  const unknown = subscriptions.flatMap((subscription) => describeUnknown(prices, subscription))
  const unmatched = subscriptions.filter((one) => isUnmatched(prices, one))
  const entitled = subscriptions.filter((one) => entitling.has(one.status) && planOf(prices, one) !== null)
  const [best] = entitled.sort(
    (a, b) => rankOf(prices, b) - rankOf(prices, a) || trouble(a) - trouble(b) || byAge(a, b)
  )
  if (best !== undefined) return { facts: factsOf(prices, best, planOf(prices, best)!), unknown, unmatched }
  const [unclear] = subscriptions.filter((one) => describeUnknown(prices, one).length > 0).sort(byAge)
  if (unclear !== undefined) return { facts: factsOf(prices, unclear, currentPlan), unknown, unmatched }
  const [newest] = subscriptions.toSorted(
    (a, b) => Number(isSubscriptionLive(b.status)) - Number(isSubscriptionLive(a.status)) || byAge(b, a)
  )
  return { facts: newest === undefined ? noSubscription : factsOf(prices, newest, freePlan), unknown, unmatched }
}

/**
 * Duplicate subscriptions: checkouts of the same account created them, for instance because two pages were paid at the
 * same moment. Of those whose payments do not fail, the dearest is kept: the one with the best plan, then with the
 * highest price.
 */
export function findDuplicates(
  prices: PlanPrices,
  subscriptions: readonly Subscription[],
  accountId: string
): Duplicate[] {
  const ours = subscriptions.filter(
    (one) => one.accountId === accountId && entitling.has(one.status) && planOf(prices, one) !== null
  )
  const [winner, ...rest] = ours.sort(
    (a, b) =>
      trouble(a) - trouble(b) ||
      rankOf(prices, b) - rankOf(prices, a) ||
      amountOf(prices, b) - amountOf(prices, a) ||
      byAge(a, b)
  )
  return winner === undefined ? [] : rest.map((ended) => ({ ended, kept: winner }))
}

function factsOf(prices: PlanPrices, subscription: Subscription, plan: string): BillingState {
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

/** The best plan among the prices of a subscription; null if the catalog has none of them. */
function planOf(prices: PlanPrices, { priceIds }: Subscription): string | null {
  const plans = priceIds.flatMap((id) => prices.planOf(id) ?? [])
  return plans.sort((a, b) => prices.rankOf(b) - prices.rankOf(a))[0] ?? null
}

const rankOf = (prices: PlanPrices, one: Subscription): number => prices.rankOf(planOf(prices, one) ?? '')
const amountOf = (prices: PlanPrices, { priceIds }: Subscription): number =>
  priceIds.reduce((sum, id) => sum + prices.amountOf(id), 0)
const trouble = ({ status }: Subscription): number => (status === 'past_due' ? 1 : 0)
const byAge = (a: Subscription, b: Subscription): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)

function describeUnknown(prices: PlanPrices, subscription: Subscription): string[] {
  const { id, status, priceIds } = subscription
  if (others.has(status)) return []
  if (!entitling.has(status)) return [`status ${status} of ${id}`]
  return isUnmatched(prices, subscription) ? [`price ${priceIds.join(', ')} of ${id}`] : []
}

const isUnmatched = (prices: PlanPrices, subscription: Subscription): boolean =>
  entitling.has(subscription.status) && planOf(prices, subscription) === null
