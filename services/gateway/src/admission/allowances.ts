import { freePlan, type Plan } from '@tollgate/contracts/catalog/catalog.ts'
import { freeBudgetLeft, planOf } from '@tollgate/contracts/records/budgets.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { Allowances } from '@tollgate/state/admission/admit.ts'
import { budgetField, countFields, freeModelLimits } from '@tollgate/state/keyspace/names.ts'
import type { AccountAllowances, JudgedBudget, JudgedCount } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

type Month = NonNullable<Allowances['adjusted']>

/**
 * The limits of a key within its account's plan. An operator's limits replace the plan's. Of several limits the lowest
 * counts. The burst of any other rate than the plan's has the same share of that rate as in the plan, at least 1.
 *
 * @param call for the budgets and limits that count it; null for a free call
 */
export function allowancesOf(
  key: KeyRecord,
  account: AccountRecord,
  catalog: Pick<CatalogView, 'plan'>,
  call: CountedCall | null
): AccountAllowances {
  const budgets =
    call === null ? [] : budgetsOf(key, account).filter(({ models }) => models?.includes(call.model) ?? true)
  const plan = catalog.plan(planOf(account))
  const { limits, caps } = plan
  const own = account.override?.limits
  const isFree = plan === catalog.plan(freePlan)
  const free = freeBudgetLeft(isFree, own?.monthlyNanos, account.freeBudget)
  const isFreeBudgetElsewhere = free?.isElsewhere === true
  const monthlyNanos = isFreeBudgetElsewhere ? 0 : (own?.monthlyNanos ?? caps.monthlyNanos)
  const accountBudgetNanos = Math.min(monthlyNanos, account.ownCapNanos ?? monthlyNanos)
  const spentBefore = beyondOwnCap(free?.spent ?? null, monthlyNanos - accountBudgetNanos)
  const requests = own?.requestsPerMinute ?? limits.requestsPerMinute
  const tokens = own?.tokensPerMinute ?? limits.tokensPerMinute
  const counts =
    call === null ? [] : [...countsOfKey(call.key, key), ...(call.isFreeModel ? countsOfFreeModels(plan) : [])]
  const requestBurstOf = (rate: number) => burstOf(rate, limits.burstRequests, limits.requestsPerMinute)
  const ownRate = key.requestsPerMinute
  return {
    keyBudgetNanos: key.monthlyBudgetNanos,
    accountBudgetNanos,
    accountBudgetOf:
      accountBudgetNanos < monthlyNanos ? 'owner' : own?.monthlyNanos === undefined ? 'plan' : 'operator',
    adjusted: addMonths(account.adjusted ?? null, spentBefore),
    isFreeBudgetElsewhere,
    isOnFreeOffer: isFree && own?.monthlyNanos === undefined,
    spentBefore,
    keyRequests: ownRate,
    keyRequestBurst: ownRate && requestBurstOf(ownRate),
    requests,
    requestBurst: requestBurstOf(requests),
    tokens,
    mostTokens: Math.min(tokens, key.tokensPerMinute ?? tokens),
    tokenBurst: burstOf(tokens, limits.burstTokens, limits.tokensPerMinute),
    concurrentRequests: own?.concurrentRequests ?? limits.concurrentRequests,
    requestNanos: own?.requestNanos ?? caps.requestNanos,
    budgets,
    counts,
    windows: [...budgets.map((budget) => ({ field: budgetField(budget), limit: budget.nanos })), ...counts]
  }
}

/** What decides which budgets and limits count a call. */
interface CountedCall {
  /** The id of its key. */
  readonly key: string
  readonly model: string
  /** Whether the account pays nothing for the model. */
  readonly isFreeModel: boolean
}

/** The key's own limits of counts. @param id of the key */
export function countsOfKey(id: string, { tokensPerMinute, concurrentRequests }: KeyRecord): JudgedCount[] {
  const counts: JudgedCount[] = []
  if (tokensPerMinute !== undefined) {
    const field = countFields.keyTokens(id)
    counts.push({ of: 'key', counts: 'tokens', window: 'minute', limit: tokensPerMinute, field })
  }
  if (concurrentRequests !== undefined) {
    const field = countFields.keyRunning(id)
    counts.push({ of: 'key', counts: 'running', window: null, limit: concurrentRequests, field })
  }
  return counts
}

/** The limits of an account's requests to free models. */
export const countsOfFreeModels = ({ limits }: Pick<Plan, 'limits'>): JudgedCount[] =>
  freeModelLimits(limits).map((one) => ({ ...one, of: 'free-models', counts: 'requests' }))

/** All budgets with a window that a key's requests may count for. */
export function budgetsOf(key: KeyRecord, account: AccountRecord): JudgedBudget[] {
  const ofAccount = (account.budgets ?? []).filter(({ member }) => member === undefined || member === key.member)
  return [
    ...(key.budgets ?? []).map((budget) => ({ ...budget, of: 'key' as const })),
    ...ofAccount.map((budget) => ({
      ...budget,
      of: budget.member === undefined ? ('account' as const) : ('member' as const)
    }))
  ]
}

/** @param burst of `rate` in the plan */
const burstOf = (own: number, burst: number, rate: number): number =>
  own === rate ? burst : Math.max(1, Math.round((own * burst) / rate))

/** What was spent before takes first the part of the plan's budget that the owner's own cap leaves unused. */
function beyondOwnCap(spent: Month | null, unusedNanos: number): Month | null {
  return spent === null ? null : { month: spent.month, nanos: Math.max(0, spent.nanos - unusedNanos) }
}

/** Both are of this month or an earlier one. An earlier one no longer counts. */
function addMonths(one: Month | null, other: Month | null): Month | null {
  if (one === null || other === null) return one ?? other
  if (one.month !== other.month) return one.month > other.month ? one : other
  return { month: one.month, nanos: one.nanos + other.nanos }
}
