import type { AdminLimits, OwnLimits } from '@tollgate/contracts/http/admin/accounts.ts'
import type { AdjustmentRequest } from '@tollgate/contracts/http/admin/adjustments.ts'
import { formatUsd } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import type { Reading } from '../../../forms/form.tsx'
import { onlyProblems, textOf } from '../../../forms/read-fields.ts'
import { numberOf, readEndDay, readLimit } from '../../../forms/read-number.ts'

/** When the limits that operators set now end; null without such limits, and for limits without an end. */
export const endOfOwnLimits = (limits: AdminLimits): string | null =>
  Object.values(limits).find(({ operator_value: value }) => value !== null)?.ends_at ?? null

/** Reads the limits of a form. All fields empty: null, which removes the limits that operators set. */
export function readOwnLimits(data: FormData, now: Date, present: AdminLimits): Reading<OwnLimits | null> {
  const read = limitFields.map(({ name, min, max, isMoney = false }) => ({
    name,
    ...readLimit(textOf(data, name), { min, max, isWhole: !isMoney, isMoney, emptyMeans: 'the plan’s value' })
  }))
  const end = readEndDay(textOf(data, 'ends_at'), now, endOfOwnLimits(present))
  const problems = onlyProblems({
    ...Object.fromEntries(read.map(({ name, problem }) => [name, problem])),
    ends_at: end.problem
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  const priceGroup = textOf(data, 'price_group').trim()
  const set: Array<{ name: string; value: number | string | null }> = read.filter(({ value }) => value !== null)
  if (priceGroup !== '') set.push({ name: 'price_group', value: priceGroup })
  return {
    ok: true,
    values:
      set.length === 0
        ? null
        : { ...Object.fromEntries(set.map(({ name, value }) => [name, value])), ends_at: end.value }
  }
}

type LimitName = Exclude<keyof AdminLimits, 'price_group'>

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

export type Adjusted = Pick<AdjustmentRequest, 'amount_usd' | 'month'>

const maxUsd = 1e6

/** Reads the direction, the amount and the month. A credit is an amount below zero. */
export function readAdjustment(data: FormData): Reading<Adjusted> {
  const usd = numberOf(textOf(data, 'amount_usd'), { isMoney: true })
  if (!(usd > 0 && usd <= maxUsd)) {
    return {
      ok: false,
      problems: {
        amount_usd: 'Enter an amount above zero and up to $1,000,000, such as 12.50, with at most nine decimals.'
      }
    }
  }
  const isCredit = textOf(data, 'direction') === 'credit'
  return { ok: true, values: { amount_usd: isCredit ? -usd : usd, month: textOf(data, 'month') } }
}
