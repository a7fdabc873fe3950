import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { Allowances } from '@tollgate/state/admission/admit.ts'

/**
 * The limits of a key within its account's plan. Of several limits the lowest counts. The burst of a key's own rate has the same
 * share of the rate as in the plan, at least 1.
 */
export function allowancesOf(key: KeyRecord, account: AccountRecord, { limits, caps }: Plan): Allowances {
  const ownRate = key.requestsPerMinute
  return {
    keyBudgetNanos: key.monthlyBudgetNanos,
    accountBudgetNanos: Math.min(caps.monthlyNanos, account.ownCapNanos ?? caps.monthlyNanos),
    keyRequests: ownRate,
    keyRequestBurst: ownRate && Math.max(1, Math.round((ownRate * limits.burstRequests) / limits.requestsPerMinute)),
    requests: limits.requestsPerMinute,
    requestBurst: limits.burstRequests,
    tokens: limits.tokensPerMinute,
    tokenBurst: limits.burstTokens,
    concurrentRequests: limits.concurrentRequests,
    requestNanos: caps.requestNanos
  }
}
