import type { Answer } from '../../api/call.ts'
import { formatAmount } from '../../format/money.ts'
import { formatDay } from '../../format/time.ts'

/** `loading`: not known yet; `unknown`: the payment provider does not answer; null: nothing will be charged. */
export type NextCharge = Answer<'getNextCharge'>['next_charge'] | 'loading' | 'unknown'

/** Says what will be charged next, and when. */
export function describeNextCharge(charge: NextCharge, isCancelled: boolean): string {
  if (charge === 'loading') return 'Next charge: …'
  if (charge === 'unknown') return 'Next charge: not known right now. The payment provider does not answer.'
  if (charge === null) return isCancelled ? 'Nothing more will be charged.' : 'Nothing will be charged.'
  const day = formatDay(new Date(charge.at))
  return charge.amount === 0
    ? `Next charge: nothing. Your credit or discount covers the invoice of ${day}.`
    : `Next charge: ${formatAmount(charge.amount, charge.currency)} on ${day}.`
}
