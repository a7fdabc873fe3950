import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { Allowances } from '@tollgate/state/admission/admit.ts'

/**
 * The limits of a key within its account's plan. An operator's limits replace the plan's. Of several limits the lowest counts.
 * The burst of any other rate than the plan's has the same share of that rate as in the plan, at least 1.
 */
export function allowancesOf(key: KeyRecord, account: AccountRecord, { limits, caps }: Plan): Allowances {
  const own = account.override?.limits
  const monthlyNanos = own?.monthlyNanos ?? caps.monthlyNanos
  const requests = own?.requestsPerMinute ?? limits.requestsPerMinute
  const tokens = own?.tokensPerMinute ?? limits.tokensPerMinute
  const requestBurstOf = (rate: number) => burstOf(rate, limits.burstRequests, limits.requestsPerMinute)
  const ownRate = key.requestsPerMinute
  return {
    keyBudgetNanos: key.monthlyBudgetNanos,
    accountBudgetNanos: Math.min(monthlyNanos, account.ownCapNanos ?? monthlyNanos),
    adjusted: account.adjusted ?? null,
    keyRequests: ownRate,
    keyRequestBurst: ownRate && requestBurstOf(ownRate),
    requests,
    requestBurst: requestBurstOf(requests),
    tokens,
    tokenBurst: burstOf(tokens, limits.burstTokens, limits.tokensPerMinute),
    concurrentRequests: own?.concurrentRequests ?? limits.concurrentRequests,
    requestNanos: own?.requestNanos ?? caps.requestNanos
  }
}

/** @param burst of `rate` in the plan */
const burstOf = (own: number, burst: number, rate: number): number =>
  own === rate ? burst : Math.max(1, Math.round((own * burst) / rate))
