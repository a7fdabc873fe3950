import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import type { AdmitAnswer, Budget, BudgetRefusal, Limit } from '@tollgate/state/admission/admit.ts'
import { rateFields } from './rate-headers.ts'

const codeOfBudget: Record<Budget, ErrorCode> = {
  request: 'request_budget_exceeded',
  key: 'key_budget_exceeded',
  account: 'monthly_budget_exceeded'
}
const codeOfLimit: Record<Limit, ErrorCode> = {
  requests: 'requests_per_minute',
  tokens: 'tokens_per_minute',
  concurrent: 'concurrent_requests'
}

/**
 * The error for a request that exceeds a budget. It names the next month only if the request fits into an unused budget.
 * Otherwise waiting would not help.
 */
export function budgetError(refusal: BudgetRefusal): ServiceError {
  const { scope, limit, settled, reserved, needed, month } = refusal
  // A credit may exceed what was spent.
  const usd = (nanos: number) => formatUsd(BigInt(Math.max(0, nanos)))
  const doesWaitingHelp = scope !== 'request' && needed <= limit
  return new ServiceError(codeOfBudget[scope], {
    details: {
      scope,
      limit_usd: usd(limit),
      spent_usd: usd(settled),
      reserved_usd: usd(reserved),
      needed_usd: usd(needed),
      ...(doesWaitingHelp && { resets_at: new Date(Date.UTC(Math.floor(month / 100), month % 100)).toISOString() })
    }
  })
}

/** The error for a request that exceeds a rate limit or the limit of concurrent requests. */
export function limitError(refusal: AdmitAnswer & { outcome: 'over-limit' }, tokensPerMinute: number): ServiceError {
  const fields = rateFields(refusal, tokensPerMinute)
  return new ServiceError(codeOfLimit[refusal.limit], {
    retryAfterMs: refusal.waitMs,
    headers: Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]!]] : [])))
  })
}
