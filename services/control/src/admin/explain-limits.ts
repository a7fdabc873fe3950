import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { AdminLimits } from '@tollgate/contracts/http/admin/accounts.ts'
import { toUsd } from '../accounts/own-cap.ts'
import { limitsOfPlan } from '../catalog/limits-in-force.ts'
import type { OverrideLimits } from '../database/schema/accounts.ts'

type Limit = AdminLimits[keyof AdminLimits]

export interface LimitsOf {
  /** The plan in force. */
  readonly plan: Pick<Plan, 'limits' | 'caps' | 'keyQuota'>
  readonly overrideLimits: OverrideLimits | null
  readonly overrideLimitsEndAt: Date | null
  readonly ownCapNanos: number | null
  /** What other accounts of the mailbox leave of the free budget; null if the account has its plan's whole budget. */
  readonly mailboxNanos: number | null
}

/**
 * The limits in force, and where each comes from. An operator's limit replaces the plan's, until it ends. The owner's monthly
 * cap applies while it is lower than both. A free budget may be shared with other accounts of the mailbox.
 */
export function explainLimits(account: LimitsOf, now: Date): AdminLimits {
  const { plan, overrideLimitsEndAt: endsAt, ownCapNanos, mailboxNanos } = account
  const hasEnded = endsAt !== null && endsAt <= now
  const set: OverrideLimits = hasEnded ? {} : (account.overrideLimits ?? {})

  function explain(planValue: number | null, override: number | undefined): Limit {
    const values = { plan_value: planValue, operator_value: override ?? null }
    if (override === undefined) return { value: planValue, from: 'plan', ...values, ends_at: null }
    return { value: override, from: 'operator', ...values, ends_at: endsAt?.toISOString() ?? null }
  }
  const inUsd = (nanos: number | undefined) => (nanos === undefined ? undefined : toUsd(nanos))

  const own = limitsOfPlan(plan)
  const monthly = explain(toUsd(own.monthlyNanos), inUsd(set.monthlyNanos))
  const isOwnLower = ownCapNanos !== null && ownCapNanos < (mailboxNanos ?? set.monthlyNanos ?? own.monthlyNanos)
  const given: Limit =
    mailboxNanos === null ? monthly : { ...monthly, value: toUsd(mailboxNanos), from: 'mailbox' as const }
  return {
    monthly_budget_usd: isOwnLower ? { ...monthly, value: toUsd(ownCapNanos), from: 'owner' } : given,
    request_budget_usd: explain(toUsd(own.requestNanos), inUsd(set.requestNanos)),
    requests_per_minute: explain(own.requestsPerMinute, set.requestsPerMinute),
    tokens_per_minute: explain(own.tokensPerMinute, set.tokensPerMinute),
    concurrent_requests: explain(own.concurrentRequests, set.concurrentRequests),
    key_quota: explain(own.keyQuota, set.keyQuota)
  }
}
