import type { AdjustmentRequest } from '@tollgate/contracts/http/admin/adjustments.ts'
import type { Reading } from '../../../forms/form.tsx'
import { textOf } from '../../../forms/read-fields.ts'
import { numberOf } from '../../../forms/read-number.ts'

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
