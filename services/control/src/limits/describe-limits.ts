import type { Catalog, Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { AccountLimits, LimitsOfPlan, RateLeft } from '@tollgate/contracts/http/limits.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import type { FreeBudget } from '@tollgate/contracts/records/records.ts'
import type { RateRest, RatesLeft, RateTerms } from '@tollgate/state/admission/read-rates.ts'
import { spentBeforeNanos } from '../catalog/free-budget-left.ts'
import type { LimitsInForce } from '../catalog/limits-in-force.ts'
import { isOnSale } from '../models/describe-models.ts'
import type { MonthSpend } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'

/** The rates of an account. As the gateway does, an operator's rate keeps the plan's share of bursts. */
export function ratesOf(
  { requestsPerMinute, tokensPerMinute }: LimitsInForce,
  { limits }: Pick<Plan, 'limits'>
): { requests: RateTerms; tokens: RateTerms } {
  const terms = (own: number, rate: number, burst: number): RateTerms => ({
    perMinute: own,
    burst: own === rate ? burst : Math.max(1, Math.round((own * burst) / rate))
  })
  return {
    requests: terms(requestsPerMinute, limits.requestsPerMinute, limits.burstRequests),
    tokens: terms(tokensPerMinute, limits.tokensPerMinute, limits.burstTokens)
  }
}

export interface LimitFacts {
  readonly limits: LimitsInForce
  readonly isSetByOperator: boolean
  readonly rates: ReturnType<typeof ratesOf>
  /** Null while Redis does not know the account, or is unavailable. */
  readonly left: RatesLeft | null
  readonly capNanos: number
  /** Null: the account has its whole plan's budget. */
  readonly free: FreeBudget | null
  readonly spend: MonthSpend
  readonly now: Date
  readonly liveKeys: number
}

export function describeLimits(facts: LimitFacts): AccountLimits {
  const { limits, rates, left, spend } = facts
  const free = BigInt(facts.capNanos) - spend.settled - spend.reserved
  return {
    is_set_by_operator: facts.isSetByOperator,
    requests: toRate(rates.requests, left?.requests),
    tokens: toRate(rates.tokens, left?.tokens),
    concurrent_requests: { limit: limits.concurrentRequests, in_use: left?.open ?? null },
    request_budget_usd: limits.requestNanos / 1e9,
    month: {
      budget_usd: formatUsd(BigInt(facts.capNanos)),
      free_budget_elsewhere: facts.free?.isElsewhere === true,
      spent_before_usd: formatUsd(BigInt(spentBeforeNanos(facts.free, facts.now))),
      spent_usd: formatUsd(spend.settled),
      reserved_usd: formatUsd(spend.reserved),
      left_usd: formatUsd(free > 0n ? free : 0n),
      resets_at: monthOf(facts.now).to.toISOString()
    },
    keys: { limit: limits.keyQuota, in_use: facts.liveKeys }
  }
}

const toRate = ({ perMinute, burst }: RateTerms, rest: RateRest | undefined): RateLeft => ({
  per_minute: perMinute,
  burst,
  left: rest?.left ?? null,
  full_in_ms: rest?.restMs ?? null
})

/** The limits of the account's plan and of plans on sale, in the order of the catalog. */
export const compareLimits = ({ plans }: Catalog, current: string): LimitsOfPlan[] =>
  Object.entries(plans)
    .filter(([id, plan]) => id === current || isOnSale(id, plan))
    .map(([id, { name, limits, caps, keyQuota, seats }]) => ({
      id,
      name,
      is_current: id === current,
      requests_per_minute: limits.requestsPerMinute,
      tokens_per_minute: limits.tokensPerMinute,
      concurrent_requests: limits.concurrentRequests,
      request_budget_usd: caps.requestNanos / 1e9,
      monthly_budget_usd: caps.monthlyNanos / 1e9,
      key_quota: keyQuota,
      seats
    }))
