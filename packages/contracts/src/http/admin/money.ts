import { type Static, Type } from 'typebox'
import { AccountId, Count, closed, Instant, Month, SignedUsd } from './adjustments.ts'
import { Day } from './usage.ts'

export const AdminMoneyQuery = Type.Object(
  {
    /** Default: the present month, UTC. */
    month: Type.Optional(Month)
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
  /** What accounts were charged for their usage. */
  charge_usd: SignedUsd,
  /** What the providers bill for it, by the catalog's prices. */
  provider_cost_usd: SignedUsd,
  /** The first minus the second. Below zero if the usage was sold below its cost. */
  margin_usd: SignedUsd
}

export const AdminMoney = Type.Object({
  month: Month,
  ...earned,
  /** Sum of the operators' adjustments. It is not part of the charge. */
  adjustments_usd: SignedUsd,
  revenue: Type.Array(Revenue),
  /** The tax in the invoices that were paid for plans. It is not part of the revenue. */
  tax: Type.Array(Amount),
  /** All refunds of the month, with tax. They are already subtracted from the revenue. */
  refunded: Type.Array(Amount),
  /** Paid for anything else than plans, without tax and after refunds. It is not part of the revenue. */
  other_revenue: Type.Array(Amount),
  profit_usd: Profit,
  by_model: Type.Array(Type.Object({ model: Type.String(), requests: Count, ...earned })),
  /** `upstream` is empty for usage whose upstream is not known, such as of requests that a crash ended. */
  by_upstream: Type.Array(Type.Object({ upstream: Type.String(), requests: Count, ...earned })),
  /** Days (UTC) with usage, the first one first. */
  by_day: Type.Array(Type.Object({ day: Day, requests: Count, ...earned })),
  by_plan: Type.Array(
    Type.Object({
      plan: Type.String(),
      /** Accounts with usage, a payment for a plan or a refund in the month. */
      accounts: Count,
      ...earned,
      revenue: Type.Array(Revenue),
      profit_usd: Profit
    })
  ),
  /**
   * The 100 accounts with the highest loss: what the providers bill, minus revenue. Accounts that pay in other currencies than dollars are
   * left out.
   */
  unprofitable: Type.Array(
    Type.Object({
      account_id: AccountId,
      email: Type.String(),
      plan: Type.String(),
      ...earned,
      revenue: Type.Array(Revenue)
    })
  ),
  /** The last 12 months, oldest first. */
  months: Type.Array(Type.Object({ month: Month, ...earned, revenue: Type.Array(Revenue), profit_usd: Profit })),
  /** When control last read all invoices from the payment provider; null before the first time. */
  invoices_read_at: Type.Union([Instant, Type.Null()]),
  /** When control last read all refunds. Null if it never did, or if the payment provider's key may not read them. */
  refunds_read_at: Type.Union([Instant, Type.Null()])
})
export type AdminMoney = Static<typeof AdminMoney>

export const AdminMoneyResponse = Type.Object({ money: AdminMoney })
export type AdminMoneyResponse = Static<typeof AdminMoneyResponse>
