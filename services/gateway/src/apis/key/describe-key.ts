import type { Budget, Credits, KeyFacts, Rate } from '@tollgate/contracts/http/current-key.ts'
import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import { windowResetsAt } from '@tollgate/contracts/records/budget-windows.ts'
import type { KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { Counters } from '@tollgate/state/admission/read-counters.ts'
import { rateLeft } from '@tollgate/state/admission/read-rates.ts'
import type { AccountAllowances, JudgedBudget, JudgedCount } from '../../authenticate/known-key.ts'

/** A budget in force, and its use. Amounts are nanodollars. */
export interface BudgetInForce {
  readonly of: Budget['of']
  readonly window: Budget['window']
  readonly models: readonly string[] | null
  readonly limit: number
  /** Below zero after a credit of the operator beyond what was spent. */
  readonly spent: number
  readonly reserved: number
  readonly resetsAt: string | null
}

type BudgetTerms = Pick<AccountAllowances, 'keyBudgetNanos' | 'accountBudgetNanos' | 'adjusted' | 'spentBefore'>

/**
 * The budgets for a month into which a request must fit, as admit.lua counts them. As in refusals, what deleted accounts
 * of the mailbox spent lowers the account's limit.
 */
export function monthlyBudgets(
  { account, key }: Pick<Counters, 'account' | 'key'>,
  terms: BudgetTerms
): BudgetInForce[] {
  const { month } = account
  const resetsAt = windowResetsAt('month', month)
  const inMonth = (one: BudgetTerms['adjusted']): number => (one?.month === month ? one.nanos : 0)
  const before = inMonth(terms.spentBefore)
  const ofAccount: BudgetInForce = {
    of: 'account',
    window: 'month',
    models: null,
    limit: terms.accountBudgetNanos - before,
    spent: account.settled + inMonth(terms.adjusted) - before,
    reserved: account.reserved,
    resetsAt
  }
  if (terms.keyBudgetNanos === null) return [ofAccount]
  const { settled: spent, reserved } = key
  const limit = terms.keyBudgetNanos
  return [{ of: 'key', window: 'month', models: null, limit, spent, reserved, resetsAt }, ofAccount]
}

/** The budgets with a window, as admit.lua counts them. */
function windowBudgets(
  { budgets: counted }: Pick<Counters, 'budgets'>,
  budgets: readonly JudgedBudget[]
): BudgetInForce[] {
  return budgets.map(({ of, window, models, nanos }, index) => {
    const { window: number, settled, reserved } = counted[index]!
    const resetsAt = windowResetsAt(window, number)
    return { of, window, models: models ?? null, limit: nanos, spent: settled, reserved, resetsAt }
  })
}

const leftOf = ({ limit, spent, reserved }: BudgetInForce): number => Math.max(0, limit - spent - reserved)

function toBudget(budget: BudgetInForce): Budget {
  const { of, window, models, limit, spent, reserved, resetsAt } = budget
  const usd = (nanos: number) => formatNanos(Math.max(0, nanos))
  return {
    of,
    window,
    models: models === null ? null : [...models],
    limit_usd: usd(limit),
    spent_usd: usd(spent),
    reserved_usd: usd(reserved),
    remaining_usd: usd(leftOf(budget)),
    resets_at: resetsAt
  }
}

/**
 * The rates, the concurrent requests and the requests to free models. Where the key and the account have a limit, it is
 * the one that refuses first.
 */
function limitsOf({ counters, allowances, budgets, counts }: KnownFacts): KeyFacts['limits'] {
  const { now, account, key } = counters
  const counted = counts.map((count, index) => {
    const { window, settled, reserved } = counters.budgets[budgets.length + index]!
    return { ...count, number: window, used: settled + reserved }
  })
  const ofKeyAlone = (counts: JudgedCount['counts']) =>
    counted.find((count) => count.of === 'key' && count.counts === counts)
  const { requests, requestBurst, keyRequests, keyRequestBurst, tokens, tokenBurst, concurrentRequests } = allowances
  const rate = (of: Rate['of'], arrival: number, perMinute: number, burst: number): Rate => {
    const { left, restMs } = rateLeft(arrival, { perMinute, burst }, now)
    return { of, per_minute: perMinute, burst, left, full_in_ms: restMs }
  }
  const ofAccount = rate('account', account.arrival, requests, requestBurst)
  const ofKey = keyRequests === null ? null : rate('key', key.arrival, keyRequests, keyRequestBurst!)
  const tokensOfAccount = rate('account', account.tokenArrival, tokens, tokenBurst)
  const keyTokens = ofKeyAlone('tokens')
  const tokensOfKey: Rate | null =
    keyTokens === undefined
      ? null
      : {
          of: 'key',
          per_minute: keyTokens.limit,
          burst: keyTokens.limit,
          left: Math.max(0, keyTokens.limit - keyTokens.used),
          full_in_ms: keyTokens.used === 0 ? 0 : Math.max(0, (keyTokens.number + 1) * minuteMs - Math.floor(now / 1000))
        }
  const running = ofKeyAlone('running')
  const runningOfAccount = { limit: concurrentRequests, in_use: account.open }
  const isKeyFuller = running !== undefined && running.limit - running.used < concurrentRequests - account.open
  const toFreeModels = counted.filter(({ of }) => of === 'free-models')
  return {
    requests: tighter(ofKey, ofAccount),
    tokens: tighter(tokensOfKey, tokensOfAccount),
    concurrent_requests: isKeyFuller ? { limit: running.limit, in_use: running.used } : runningOfAccount,
    free_models: toFreeModels.map(({ window, limit, used }) => ({
      window: window!,
      limit,
      left: Math.max(0, limit - used)
    }))
  }
}

const tighter = (ofKey: Rate | null, ofAccount: Rate): Rate =>
  ofKey !== null && ofKey.left < ofAccount.left ? ofKey : ofAccount

const minuteMs = 60_000

/** What is known of a key. */
export interface KnownFacts {
  readonly id: string
  readonly record: KeyRecord
  readonly plan: { readonly id: string; readonly name: string }
  readonly isFreePlan: boolean
  /** The ids of the models that the key may use. */
  readonly models: string[]
  /** When the presented secret stops working, ms since the epoch; null for never. */
  readonly endsAt: number | null
  readonly allowances: AccountAllowances
  /** The budgets with a window, also those of other models; `counters` has their use. */
  readonly budgets: readonly JudgedBudget[]
  /** The limits of the key and of free models; `counters` has their use after that of the budgets. */
  readonly counts: readonly JudgedCount[]
  readonly counters: Counters
}

/** Describes a key to its holder. */
export function describeKey(facts: KnownFacts): KeyFacts {
  const { id, record, plan, isFreePlan, models, endsAt, allowances, counters } = facts
  const budgets = [...monthlyBudgets(counters, allowances), ...windowBudgets(counters, facts.budgets)]
  const ofAll = budgets.filter(({ of, models }) => of === 'key' && models === null)
  const [own] = ofAll.toSorted((one, other) => leftOf(one) - leftOf(other))
  const usageIn = (window: Budget['window']): number | null => {
    const counted = ofAll.find((budget) => budget.window === window)
    return counted === undefined ? null : toUsd(counted.spent)
  }
  return {
    id,
    label: record.label ?? null,
    plan,
    models,
    expires_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    budgets: budgets.map(toBudget),
    limits: limitsOf(facts),
    limit: own === undefined ? null : toUsd(own.limit),
    limit_remaining: own === undefined ? null : toUsd(leftOf(own)),
    limit_reset: own === undefined ? null : resetNames[own.window],
    usage: usageIn('lifetime'),
    usage_daily: usageIn('day'),
    usage_weekly: usageIn('week'),
    usage_monthly: toUsd(counters.key.settled),
    is_free_tier: isFreePlan,
    is_management_key: false,
    is_provisioning_key: false
  }
}

/** OpenRouter's names of windows. */
const resetNames = { day: 'daily', week: 'weekly', month: 'monthly', lifetime: null } as const

/** The account's budget as credits. Their difference is what is left of it, without what running requests reserve. */
export function describeCredits(budgets: readonly BudgetInForce[]): Credits {
  const { limit, spent } = budgets.find(({ of }) => of === 'account')!
  return {
    data: { total_credits: toUsd(Math.max(0, limit) + Math.max(0, -spent)), total_usage: toUsd(Math.max(0, spent)) }
  }
}

const toUsd = (nanos: number): number => nanos / 1e9
