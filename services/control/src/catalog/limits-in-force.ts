import type { Catalog, Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { OverrideLimits } from '../database/schema/accounts.ts'
import { effectivePlan } from './effective-plan.ts'

/** The columns of an account that decide its limits. */
export interface LimitedAccount {
  readonly planInForce: string
  readonly overrideLimits: OverrideLimits | null
}

/** Limits of an account, without the owner's own cap and without bursts, which follow from the rates. */
export type LimitsInForce = Required<Omit<OverrideLimits, 'keyQuota'>> & {
  /** Null for any number of keys. */
  readonly keyQuota: number | null
}

/** The limits of the account's plan, or those that an operator set instead. */
export function limitsInForce(catalog: Catalog, { planInForce, overrideLimits }: LimitedAccount): LimitsInForce {
  return { ...limitsOfPlan(catalog.plans[effectivePlan(catalog, planInForce)]!), ...overrideLimits }
}

/** The limits of a plan, in the form of an operator's. */
export function limitsOfPlan({ caps, limits, keyQuota }: Pick<Plan, 'caps' | 'limits' | 'keyQuota'>): LimitsInForce {
  return {
    monthlyNanos: caps.monthlyNanos,
    requestNanos: caps.requestNanos,
    requestsPerMinute: limits.requestsPerMinute,
    tokensPerMinute: limits.tokensPerMinute,
    concurrentRequests: limits.concurrentRequests,
    keyQuota
  }
}
