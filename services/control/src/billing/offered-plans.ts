import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { OfferedPlan } from '@tollgate/contracts/http/billing.ts'

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
