import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { Allowances } from '@tollgate/contracts/redis/admit.ts'

/** What a key may do within its account's plan: of several limits on the same thing the lowest counts. */
export function allowancesOf(key: KeyRecord, account: AccountRecord, { limits, caps }: Plan): Allowances {
  return {
    keyBudgetNanos: key.monthlyBudgetNanos,
    accountBudgetNanos: Math.min(caps.monthlyNanos, account.ownCapNanos ?? caps.monthlyNanos),
    keyRequests: key.requestsPerMinute,
    requests: limits.requestsPerMinute,
    tokens: limits.tokensPerMinute,
    concurrentRequests: limits.concurrentRequests,
    requestNanos: caps.requestNanos
  }
}
