import type { Answer } from '../../api/call.ts'
import { formatAmount } from '../../format/money.ts'
import { formatDay } from '../../format/time.ts'

/** `loading`: not known yet; `unknown`: the payment provider does not answer; null: nothing will be charged. */
export type NextCharge = Answer<'getNextCharge'>['next_charge'] | 'loading' | 'unknown'

/** The provider charges an hour after a renewal, which can be on the next day. */
const renewalMs = 24 * 3_600_000

/** Says what will be charged next, and when. The day of a renewal stands beside it already. */
export function describeNextCharge(
  charge: NextCharge,
  { cancel_at: ends, renews_at: renews }: Pick<Answer<'getPlan'>['plan'], 'cancel_at' | 'renews_at'>
): string {
  if (charge === 'loading') return 'Next charge: …'
  if (charge === 'unknown') return 'Next charge: not known right now. The payment provider does not answer.'
  if (charge === null) return ends !== null ? 'Nothing more will be charged.' : 'Nothing will be charged.'
  const isRenewal = renews !== null && Math.abs(Date.parse(charge.at) - Date.parse(renews)) < renewalMs
  const day = formatDay(new Date(charge.at))
  if (charge.amount === 0) {
    const invoice = isRenewal ? 'the next invoice' : `the invoice of ${day}`
    return `Next charge: nothing. Your credit or discount covers ${invoice}.`
  }
  return `Next charge: ${formatAmount(charge.amount, charge.currency)}${isRenewal ? '' : ` on ${day}`}.`
}

type Plan = Pick<Answer<'getPlan'>['plan'], 'renews_at' | 'cancel_at' | 'price_id'>

/** Says when a plan renews or ends. */
export function describeRenewal({ renews_at: renews, cancel_at: ends, price_id: price }: Plan): string {
  if (ends !== null) return `Cancelled. Ends on ${formatDay(new Date(ends))}.`
  if (renews !== null) return `Renews on ${formatDay(new Date(renews))}.`
  return price === null ? 'No subscription.' : 'Does not renew automatically.'
}
