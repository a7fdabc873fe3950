import type { Answer } from '../../api/call.ts'
import { formatDay } from '../../format/time.ts'

type Plan = Pick<Answer<'getPlan'>['plan'], 'renews_at' | 'cancel_at' | 'price_id'>

/** Says when a plan renews or ends. */
export function describeRenewal({ renews_at: renews, cancel_at: ends, price_id: price }: Plan): string {
  if (ends !== null) return `Cancelled. Ends on ${formatDay(new Date(ends))}.`
  if (renews !== null) return `Renews on ${formatDay(new Date(renews))}.`
  return price === null ? 'No subscription.' : 'Does not renew automatically.'
}
