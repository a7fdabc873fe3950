import type { Answer } from '../../api/call.ts'
import { formatAmount, formatShortUsd } from '../../format/money.ts'
import { countOf, formatCompact } from '../../format/number.ts'

export type OfferedPlan = Answer<'listPlans'>['plans'][number]
export type OfferedPrice = OfferedPlan['prices'][number]

const entitlements: Readonly<Record<string, string>> = {
  chat: 'Chat',
  completions: 'Completions',
  embeddings: 'Embeddings',
  'all-models': 'All models',
  seats: 'Team seats',
  'partner-api': 'Keys API for partners'
}

/** Describes an entitlement. An operator's own entitlement is shown by its name. */
export const describeEntitlement = (name: string): string => entitlements[name] ?? name

/** The features of a plan, one line each. */
export function planFeatures(plan: OfferedPlan): string[] {
  return [
    plan.key_quota === null ? 'Unlimited keys' : countOf(plan.key_quota, 'key'),
    plan.seats === null ? 'Unlimited seats' : plan.seats === 1 ? 'For one person' : countOf(plan.seats, 'seat'),
    `Up to ${formatShortUsd(plan.monthly_budget_usd)} of usage per month`,
    `${formatCompact(plan.requests_per_minute)} requests and ${formatCompact(plan.tokens_per_minute)} tokens per minute`,
    `Bursts of up to ${formatCompact(plan.burst_requests)} requests and ${formatCompact(plan.burst_tokens)} tokens`,
    ...plan.entitlements.map(describeEntitlement)
  ]
}

/** A price with its billing interval, such as `$20 / month`. */
export const describePrice = ({ amount, currency, interval }: OfferedPrice): string =>
  `${formatAmount(amount, currency).replace(/\.00$/, '')} / ${interval}`
