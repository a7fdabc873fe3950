import type { ChosenPlan } from '@tollgate/contracts/http/chosen-plan.ts'
import { namedFeatures, type PlanTerms, planLines } from '@tollgate/contracts/plans/plan-lines.ts'
import type { Answer } from '../../api/call.ts'
import { formatAmount, formatShortUsd } from '../../format/money.ts'
import { formatCompact, formatCount } from '../../format/number.ts'

export type OfferedPlan = Answer<'listPlans'>['plans'][number]
export type OfferedPrice = OfferedPlan['prices'][number]

const entitlements: Readonly<Record<string, string>> = {
  chat: 'Chat',
  completions: 'Completions',
  embeddings: 'Embeddings',
  'all-models': 'All models',
  seats: 'Team'
}

/** Describes an entitlement. An operator's own entitlement is shown by its name. */
export const describeEntitlement = (name: string): string =>
  entitlements[name] ?? namedFeatures({ entitlements: [name] })[0] ?? name

const formats = { usd: formatShortUsd, count: formatCount, size: formatCompact }

/** What a plan includes, one line each. */
export function planFeatures(plan: OfferedPlan, models: PlanTerms['models']): string[] {
  const terms = {
    monthUsd: plan.monthly_budget_usd,
    models,
    keys: plan.key_quota,
    people: plan.seats,
    requestsPerMinute: plan.requests_per_minute,
    tokensPerMinute: plan.tokens_per_minute,
    entitlements: plan.entitlements
  }
  return planLines(terms, formats).map(({ text }) => text)
}

type Models = Answer<'listPricedModels'>['models']

/** The models of a plan on sale; null for another plan, or while the models are not known. */
export function modelsOf(plan: OfferedPlan, models: Models | undefined): PlanTerms['models'] {
  const onSale = models?.filter(({ plans }) => plans.length > 0) ?? []
  const count = onSale.filter(({ plans }) => plans.some(({ id }) => id === plan.id)).length
  return count === 0 ? null : { count, hasAll: count === onSale.length }
}

/** A price with its billing interval, such as `$20 a month`. */
export const describePrice = ({ amount, currency, interval }: OfferedPrice): string =>
  `${formatAmount(amount, currency).replace(/\.00$/, '')} a ${interval}`

/** The price of a chosen plan, with the plan; undefined if it is not on sale. */
export function findOffer(
  plans: readonly OfferedPlan[] | undefined,
  { plan: id, interval }: ChosenPlan
): { plan: OfferedPlan; price: OfferedPrice } | undefined {
  const plan = plans?.find((one) => one.id === id)
  const price = plan?.prices.find((one) => one.interval === interval)
  return plan === undefined || price === undefined ? undefined : { plan, price }
}
