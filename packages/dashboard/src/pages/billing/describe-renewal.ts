import type { Answer } from '../../api/call.ts'
import { formatDay } from '../../format/time.ts'

type Plan = Pick<Answer<'getPlan'>['plan'], 'renews_at' | 'cancel_at' | 'price_id'>

/** How a plan goes on, in a sentence. */
export function describeRenewal({ renews_at: renews, cancel_at: ends, price_id: price }: Plan): string {
  if (ends !== null) return `Cancelled: it ends on ${formatDay(new Date(ends))}.`
  if (renews !== null) return `Renews on ${formatDay(new Date(renews))}.`
  return price === null ? 'Nothing to pay.' : 'It does not renew by itself.'
}
