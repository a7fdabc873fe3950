import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import type { AdmitAnswer, Budget, BudgetRefusal, Limit } from '@tollgate/state/admission/admit.ts'
import type { AccountAllowances } from '../authenticate/known-key.ts'
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
 * Otherwise waiting would not help. What deleted accounts of the mailbox spent lowers the limit, as on the dashboard: it is not
 * spend of this account.
 */
export function budgetError(
  refusal: BudgetRefusal,
  { isFreeBudgetElsewhere, spentBefore }: Pick<AccountAllowances, 'isFreeBudgetElsewhere' | 'spentBefore'>
): ServiceError {
  const { scope, limit, settled, reserved, needed, month } = refusal
  // A credit may exceed what was spent.
  const usd = (nanos: number) => formatUsd(BigInt(Math.max(0, nanos)))
  const before = scope === 'account' && spentBefore?.month === month ? spentBefore.nanos : 0
  const doesWaitingHelp = scope !== 'request' && needed <= limit
  const code = scope === 'account' && isFreeBudgetElsewhere ? 'free_budget_elsewhere' : codeOfBudget[scope]
  return new ServiceError(code, {
    ...(before > 0 && { message: spentBeforeMessage(usd(before)) }),
    details: {
      scope,
      limit_usd: usd(limit - before),
      spent_usd: usd(settled - before),
      reserved_usd: usd(reserved),
      needed_usd: usd(needed),
      ...(doesWaitingHelp && { resets_at: new Date(Date.UTC(Math.floor(month / 100), month % 100)).toISOString() })
    }
  })
}

const spentBeforeMessage = (usd: string): string =>
  `The request's maximum cost exceeds what is left of this month's free budget. Deleted accounts with your e-mail address spent $${usd} of it. Choose a paid plan, or wait for the next month.`

/** The error for a request that exceeds a rate limit or the limit of concurrent requests. */
export function limitError(refusal: AdmitAnswer & { outcome: 'over-limit' }, tokensPerMinute: number): ServiceError {
  const fields = rateFields(refusal, tokensPerMinute)
  return new ServiceError(codeOfLimit[refusal.limit], {
    retryAfterMs: refusal.waitMs,
    headers: Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]!]] : [])))
  })
}
