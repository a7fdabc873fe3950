import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { BillingPlan, OfferedPlan } from '@tollgate/contracts/http/billing.ts'
import { eq } from 'drizzle-orm'
import { effectivePlan } from '../catalog/effective-plan.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { findCustomer } from './customers.ts'
import { type BillingState, noSubscription } from './plan-from-subscriptions.ts'

/** The current plan of an account, and its payment status. */
export async function readPlan(orm: Orm, catalog: Catalog, accountId: string): Promise<BillingPlan> {
  const [account] = await orm.select({ plan: accounts.planInForce }).from(accounts).where(eq(accounts.id, accountId))
  const customer = await findCustomer(orm, accountId)
  return describePlan(catalog, account?.plan ?? freePlan, customer?.facts ?? noSubscription)
}

/**
 * @param stored the account's plan
 * @param facts of its subscription, which renews or ends even while an operator's plan applies
 */
export function describePlan(catalog: Catalog, stored: string, facts: BillingState): BillingPlan {
  const id = effectivePlan(catalog, stored)
  const { name, entitlements } = catalog.plans[id]!
  const isPaid = id !== freePlan && facts.plan === id
  return {
    id,
    name,
    renews_at: facts.renewsAt?.toISOString() ?? null,
    entitlements,
    past_due: facts.isPastDue,
    cancel_at: facts.cancelAt?.toISOString() ?? null,
    price_id: isPaid ? facts.priceId : null
  }
}

/** The plans of a catalog for people who compare them, without models and their prices. */
export function describeOffer({ plans }: Catalog): OfferedPlan[] {
  return Object.entries(plans).map(([id, { name, entitlements, keyQuota, seats, limits, caps, prices = [] }]) => ({
    id,
    name,
    entitlements,
    key_quota: keyQuota,
    seats,
    requests_per_minute: limits.requestsPerMinute,
    burst_requests: limits.burstRequests,
    tokens_per_minute: limits.tokensPerMinute,
    burst_tokens: limits.burstTokens,
    monthly_budget_usd: caps.monthlyNanos / 1e9,
    prices: prices.flatMap(({ isSold, ...price }) => (isSold ? [price] : []))
  }))
}
