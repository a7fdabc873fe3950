import { type Static, Type } from 'typebox'
import { Adjustment } from '../usage.ts'
import { closed, Month, Reason } from './common.ts'

/** Charges or credits an account for a month. */
export const AdjustmentRequest = Type.Object(
  {
    /** A new random id. A repeated call with the same id changes nothing more. */
    id: Type.String({ format: 'uuid' }),
    /** Above zero: charges the account. Below zero: credits it. At most nine decimals. */
    amount_usd: Type.Number({ minimum: -1e6, maximum: 1e6 }),
    /** The present month, or an earlier one. */
    month: Month,
    /** The customer sees it with the adjustment. */
    reason: Reason
  },
  closed
)
export type AdjustmentRequest = Static<typeof AdjustmentRequest>

export const AdjustmentResponse = Type.Object({ adjustment: Adjustment })
export type AdjustmentResponse = Static<typeof AdjustmentResponse>
