import type { AdminLimits } from '@tollgate/contracts/http/admin/accounts.ts'
import { formatUsd } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'

export type LimitName = keyof AdminLimits

/** The limits that operators can set. The values of `max` are those of the API. */
export const limitFields: ReadonlyArray<{
  readonly name: LimitName
  readonly label: string
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly isMoney?: boolean
}> = [
  { name: 'monthly_budget_usd', label: 'Monthly budget', unit: 'USD', min: 0, max: 1e6, isMoney: true },
  { name: 'request_budget_usd', label: 'Budget per request', unit: 'USD', min: 0, max: 1e6, isMoney: true },
  { name: 'requests_per_minute', label: 'Requests per minute', unit: 'requests', min: 1, max: 1e9 },
  { name: 'tokens_per_minute', label: 'Tokens per minute', unit: 'tokens', min: 1, max: 1e9 },
  { name: 'concurrent_requests', label: 'Requests at the same time', unit: 'requests', min: 1, max: 1e6 },
  { name: 'key_quota', label: 'Active keys', unit: 'keys', min: 0, max: 1e6 }
]

/** A limit in words: an amount, a count, or `No limit`. */
export const describeLimit = (value: number | null, isMoney: boolean): string =>
  value === null ? 'No limit' : isMoney ? formatUsd(value) : formatCount(value)

const sources = {
  plan: 'Plan',
  operator: 'Operator',
  owner: 'Owner of the account',
  mailbox: 'Other accounts of the address'
} as const

/** Who set a limit. */
export const describeSource = (from: AdminLimits[LimitName]['from']): string => sources[from]
