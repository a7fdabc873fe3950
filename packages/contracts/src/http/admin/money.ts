import { type Static, Type } from 'typebox'
import { described } from '../described.ts'
import { AccountId, Count, closed, Instant, Month, SignedUsd } from './adjustments.ts'
import { Day } from './usage.ts'

export const AdminMoneyQuery = Type.Object(
  {
    month: described('Default: the present month, UTC.', Type.Optional(Month))
  },
  closed
)
export type AdminMoneyQuery = Static<typeof AdminMoneyQuery>

/** An amount in a currency's smallest unit. */
const Amount = Type.Object({ currency: Type.String(), amount: Type.Integer() })
/** Paid for plans in one currency, without tax and after refunds. It is below zero if more went back. */
const Revenue = Amount
/** Revenue in dollars, minus what the providers bill. Null if there is revenue in another currency. */
const Profit = Type.Union([SignedUsd, Type.Null()])

/** What usage earned, whether or not it was paid for by invoice. */
const earned = {
  charge_usd: described('What accounts were charged for their usage.', SignedUsd),
  provider_cost_usd: described("What the providers bill for it, by the catalog's prices.", SignedUsd),
  margin_usd: described('The first minus the second. Below zero if the usage was sold below its cost.', SignedUsd)
}

export const AdminMoney = Type.Object({
  month: Month,
  ...earned,
  adjustments_usd: described("Sum of the operators' adjustments. It is not part of the charge.", SignedUsd),
  revenue: Type.Array(Revenue),
  tax: described(
    'The tax in the invoices that were paid for plans. It is not part of the revenue.',
    Type.Array(Amount)
  ),
  refunded: described(
    'All refunds of the month, with tax. They are already subtracted from the revenue.',
    Type.Array(Amount)
  ),
  other_revenue: described(
    'Paid for anything else than plans, without tax and after refunds. It is not part of the revenue.',
    Type.Array(Amount)
  ),
  profit_usd: Profit,
  by_model: Type.Array(Type.Object({ model: Type.String(), requests: Count, ...earned })),
  by_upstream: described(
    '`upstream` is empty for usage whose upstream is not known, such as of requests that a crash ended.',
    Type.Array(Type.Object({ upstream: Type.String(), requests: Count, ...earned }))
  ),
  by_day: described(
    'Days (UTC) with usage, the first one first.',
    Type.Array(Type.Object({ day: Day, requests: Count, ...earned }))
  ),
  by_plan: Type.Array(
    Type.Object({
      plan: Type.String(),
      accounts: described('Accounts with usage, a payment for a plan or a refund in the month.', Count),
      ...earned,
      revenue: Type.Array(Revenue),
      profit_usd: Profit
    })
  ),
  unprofitable: described(
    'The 100 accounts with the highest loss: what the providers bill, minus revenue. Accounts that pay in other currencies than dollars are left out.',
    Type.Array(
      Type.Object({
        account_id: AccountId,
        email: Type.String(),
        plan: Type.String(),
        ...earned,
        revenue: Type.Array(Revenue)
      })
    )
  ),
  months: described(
    'The last 12 months, oldest first.',
    Type.Array(Type.Object({ month: Month, ...earned, revenue: Type.Array(Revenue), profit_usd: Profit }))
  ),
  invoices_read_at: described(
    'When control last read all invoices from the payment provider; null before the first time.',
    Type.Union([Instant, Type.Null()])
  ),
  refunds_read_at: described(
    "When control last read all refunds. Null if it never did, or if the payment provider's key may not read them.",
    Type.Union([Instant, Type.Null()])
  )
})
export type AdminMoney = Static<typeof AdminMoney>

export const AdminMoneyResponse = Type.Object({ money: AdminMoney })
export type AdminMoneyResponse = Static<typeof AdminMoneyResponse>
