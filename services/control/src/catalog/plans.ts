import { type Catalog, freePlan, type Plan, type PlanPrice } from '@tollgate/contracts/catalog/catalog.ts'
import { type PriceGroup, priceGroupOf } from '@tollgate/contracts/catalog/list-prices.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { freeBudgetLeft } from '@tollgate/contracts/records/budgets.ts'
import type { FreeBudget } from '@tollgate/contracts/records/records.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import type { OverrideLimits } from '../database/schema/accounts.ts'

/** The plan of the catalog that applies to a stored plan; the free plan if the catalog lacks it. */
export function effectivePlan(catalog: Catalog, plan: string | null): string {
  return isUnknownPlan(catalog, plan) ? freePlan : (plan ?? freePlan)
}

/** Whether a plan is set that the catalog lacks, for instance by an operator. */
export function isUnknownPlan(catalog: Catalog, plan: string | null): boolean {
  return plan !== null && !Object.hasOwn(catalog.plans, plan)
}

/** The columns of an account that decide its limits. */
export interface LimitedAccount {
  readonly planInForce: string
  readonly overrideLimits: OverrideLimits | null
}

/** Limits of an account, without the owner's own cap and without bursts, which follow from the rates. */
export type LimitsInForce = Required<Omit<OverrideLimits, 'keyQuota' | 'priceGroup'>> & {
  /** Null for any number of keys. */
  readonly keyQuota: number | null
}

/** The limits of the account's plan, or those that an operator set instead. */
export function limitsInForce(catalog: Catalog, { planInForce, overrideLimits }: LimitedAccount): LimitsInForce {
  return { ...limitsOfPlan(catalog.plans[effectivePlan(catalog, planInForce)]!), ...overrideLimits }
}

/** The price group of the account: see `priceGroupOf`. */
export const priceGroupInForce = (
  catalog: Catalog,
  { planInForce, overrideLimits }: LimitedAccount
): PriceGroup | null =>
  priceGroupOf(catalog, overrideLimits?.priceGroup, catalog.plans[effectivePlan(catalog, planInForce)]!.priceGroup)

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

/** The columns of an account that decide its share of a free budget. */
interface FreeBudgetAccount extends LimitedAccount {
  readonly freeBudget: FreeBudget | null
}

/** See `freeBudgetLeft`. */
export const freeBudgetOf = (
  catalog: Catalog,
  { planInForce, overrideLimits, freeBudget }: FreeBudgetAccount
): FreeBudget | null =>
  freeBudgetLeft(effectivePlan(catalog, planInForce) === freePlan, overrideLimits?.monthlyNanos, freeBudget)

/** What an account has of its plan's budget this month, nanodollars. @param free see {@link freeBudgetOf} */
export function budgetLeftNanos(free: FreeBudget | null, planNanos: number, now: Date): number {
  return free?.isElsewhere === true ? 0 : Math.max(0, planNanos - spentBeforeNanos(free, now))
}

/** What deleted accounts of the mailbox spent of this month's free budget, nanodollars. */
export const spentBeforeNanos = (free: FreeBudget | null, now: Date): number =>
  free?.spent?.month === monthNumber(now) ? free.spent.nanos : 0

interface CappedAccount extends FreeBudgetAccount {
  readonly ownCapNanos: number | null
}

/**
 * An account's cap for this month in nanodollars: the plan's or the operator's, or the owner's own if that is lower.
 * What other accounts of the mailbox leave of the free budget is the plan's.
 */
export function monthlyCapNanos(catalog: Catalog, account: CappedAccount, now: Date): number {
  const { monthlyNanos } = limitsInForce(catalog, account)
  const planNanos = budgetLeftNanos(freeBudgetOf(catalog, account), monthlyNanos, now)
  return Math.min(planNanos, account.ownCapNanos ?? Number.POSITIVE_INFINITY)
}

const nanosPerUsd = 1e9

/**
 * Reads the monthly cap that an owner asks for, in nanodollars.
 *
 * @param usd null to remove the cap
 * @param planCapNanos the plan's monthly cap; the owner's cap must not exceed it
 * @throws ServiceError `invalid_request` naming the field
 */
export function readOwnCap(usd: number | null, planCapNanos: number): number | null {
  if (usd === null) return null
  const nanos = nanosOfUsd(usd)
  if (nanos > planCapNanos) throw refused(`must not exceed the plan's budget of $${toUsd(planCapNanos)}`)
  return nanos
}

/**
 * Converts a monthly budget to nanodollars.
 *
 * @throws ServiceError `invalid_request` if it has more than nine decimals
 */
export const nanosOfUsd = (usd: number): number => exactNanos('monthly_budget_usd', usd)

/**
 * Converts an amount of a request. @throws ServiceError `invalid_request` naming the field, for more than nine decimals
 */
export function exactNanos(field: string, usd: number): number {
  const nanos = Math.round(usd * nanosPerUsd)
  // Division rounds correctly, so it restores every number with up to nine decimals.
  if (toUsd(nanos) === usd) return nanos
  throw new ServiceError('invalid_request', { message: `${field}: must have no more than nine decimals` })
}

export const toUsd = (nanos: number): number => nanos / nanosPerUsd

const refused = (reason: string) => new ServiceError('invalid_request', { message: `monthly_budget_usd: ${reason}` })

/**
 * Checks models that a caller names.
 *
 * @returns the models
 * @throws ServiceError `invalid_request` naming the field, for a model that the plan lacks
 */
export function inPlan(field: string, models: string[], catalog: Catalog, plan: string): string[] {
  const included = new Set(catalog.plans[effectivePlan(catalog, plan)]!.models)
  const other = models.find((model) => !included.has(model))
  if (other === undefined) return models
  const [meant] = Object.entries(catalog.models).find(([, { aliases = [] }]) => aliases.includes(other)) ?? []
  const reason =
    meant !== undefined && included.has(meant)
      ? `${other} is an alias. Name its model, ${meant}`
      : `${other} is not in the plan`
  throw new ServiceError('invalid_request', { message: `${field}: ${reason}` })
}

/** The catalog's prices at the payment provider. */
export interface PlanPrices {
  /** The plan that a price is for; null if the catalog has no such price. */
  planOf(priceId: string): string | null
  /** What a price costs in its currency's smallest unit; 0 for an unknown price. */
  amountOf(priceId: string): number
  /** Whether it is on sale now. */
  isSold(priceId: string): boolean
  /** A plan's position in the catalog, from 0; later plans are better. -1 for an unknown plan. */
  rankOf(plan: string): number
}

/** Reads the prices of a catalog. The result does not follow later catalogs. */
export function readPlanPrices({ plans }: Catalog): PlanPrices {
  const prices = new Map<string, { plan: string; price: PlanPrice }>()
  const ranks = new Map<string, number>()
  for (const [plan, { prices: own = [] }] of Object.entries(plans)) {
    ranks.set(plan, ranks.size)
    for (const price of own) prices.set(price.id, { plan, price })
  }
  return {
    planOf: (id) => prices.get(id)?.plan ?? null,
    amountOf: (id) => prices.get(id)?.price.amount ?? 0,
    isSold: (id) => prices.get(id)?.price.isSold ?? false,
    rankOf: (plan) => ranks.get(plan) ?? -1
  }
}
