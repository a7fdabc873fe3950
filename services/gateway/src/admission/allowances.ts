import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { Allowances } from '@tollgate/state/admission/admit.ts'

/**
 * What a key may do within its account's plan: of several limits on the same thing the lowest counts. The burst of a key's
 * own rate is the same share of it as that of the plan's, at least 1.
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
