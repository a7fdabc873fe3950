import { type Static, Type } from 'typebox'
import { AccountId, Count, closed, Instant, Month, SignedUsd } from './adjustments.ts'

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
/** Revenue in dollars minus cost. Null if there is revenue in another currency. */
const Margin = Type.Union([SignedUsd, Type.Null()])

export const AdminMoney = Type.Object({
  month: Month,
  /** What the models cost by the catalog's prices. */
  cost_usd: SignedUsd,
  /** Sum of the operators' adjustments. It is not part of the cost. */
  adjustments_usd: SignedUsd,
  revenue: Type.Array(Revenue),
  /** The tax in the invoices that were paid for plans. It is not part of the revenue. */
  tax: Type.Array(Amount),
  /** All refunds of the month, with tax. They are already subtracted from the revenue. */
  refunded: Type.Array(Amount),
  /** Paid for anything else than plans, without tax and after refunds. It is not part of the revenue. */
  other_revenue: Type.Array(Amount),
  margin_usd: Margin,
  by_model: Type.Array(Type.Object({ model: Type.String(), requests: Count, cost_usd: SignedUsd })),
  /** `upstream` is empty for usage whose upstream is not known, such as of requests that a crash ended. */
  by_upstream: Type.Array(Type.Object({ upstream: Type.String(), requests: Count, cost_usd: SignedUsd })),
  by_plan: Type.Array(
    Type.Object({
      plan: Type.String(),
      /** Accounts with usage, a payment for a plan or a refund in the month. */
      accounts: Count,
      cost_usd: SignedUsd,
      revenue: Type.Array(Revenue),
      margin_usd: Margin
    })
  ),
  /**
   * The 100 accounts with the highest loss (cost minus revenue). Accounts that pay in other currencies than dollars are
   * left out.
   */
  unprofitable: Type.Array(
    Type.Object({
      account_id: AccountId,
      email: Type.String(),
      plan: Type.String(),
      cost_usd: SignedUsd,
      revenue: Type.Array(Revenue)
    })
  ),
  /** The last 12 months, oldest first. */
  months: Type.Array(
    Type.Object({ month: Month, cost_usd: SignedUsd, revenue: Type.Array(Revenue), margin_usd: Margin })
  ),
  /** When control last read all invoices from the payment provider; null before the first time. */
  invoices_read_at: Type.Union([Instant, Type.Null()]),
  /** When control last read all refunds. Null if it never did, or if the payment provider's key may not read them. */
  refunds_read_at: Type.Union([Instant, Type.Null()])
})
export type AdminMoney = Static<typeof AdminMoney>

export const AdminMoneyResponse = Type.Object({ money: AdminMoney })
export type AdminMoneyResponse = Static<typeof AdminMoneyResponse>
