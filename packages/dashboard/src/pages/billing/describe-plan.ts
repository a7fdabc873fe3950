import type { Answer } from '../../api/call.ts'
import { formatAmount, formatUsd } from '../../format/money.ts'
import { countOf, formatCompact } from '../../format/number.ts'

export type OfferedPlan = Answer<'listPlans'>['plans'][number]
export type OfferedPrice = OfferedPlan['prices'][number]

const entitlements: Readonly<Record<string, string>> = {
  chat: 'Chat',
  completions: 'Completions',
  embeddings: 'Embeddings',
  'all-models': 'All models',
  seats: 'Seats for a team',
  'partner-api': 'Keys API for partners'
}

/** An entitlement in words; one that an operator has named is shown as it is. */
export const describeEntitlement = (name: string): string => entitlements[name] ?? name

/** What a plan allows, one line for each. */
export function describeTerms(plan: OfferedPlan): string[] {
  return [
    plan.key_quota === null ? 'Any number of keys' : countOf(plan.key_quota, 'key'),
    plan.seats === null ? 'Any number of seats' : plan.seats === 1 ? 'For one person' : countOf(plan.seats, 'seat'),
    `Up to ${formatUsd(plan.monthly_budget_usd).replace(/\.00$/, '')} of usage a month`,
    `${formatCompact(plan.requests_per_minute)} requests and ${formatCompact(plan.tokens_per_minute)} tokens a minute`,
    `Up to ${formatCompact(plan.burst_requests)} requests and ${formatCompact(plan.burst_tokens)} tokens at once`,
    ...plan.entitlements.map(describeEntitlement)
  ]
}

/** `$20 / month`. */
export const describePrice = ({ amount, currency, interval }: OfferedPrice): string =>
  `${formatAmount(amount, currency).replace(/\.00$/, '')} / ${interval}`
