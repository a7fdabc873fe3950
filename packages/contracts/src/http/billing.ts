import { type Static, Type } from 'typebox'
import { patterns } from './patterns.ts'

const closed = { additionalProperties: false } as const
const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()])
const Instant = Type.String({ format: 'date-time' })
/** In the currency's smallest unit. */
const Amount = Type.Integer()

/** The plan in force for the caller's account. */
export const BillingPlan = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** When the subscription renews, even while a plan set by hand is in force; null without a renewal. */
  renews_at: orNull(Instant),
  entitlements: Type.Array(Type.String()),
  /** Whether the last payment failed and will be retried. */
  past_due: Type.Boolean(),
  /** When a cancelled subscription ends; else null. */
  cancel_at: orNull(Instant),
  /** The price, as `GET /api/billing/plans` lists it; null for a plan without a price. */
  price_id: orNull(Type.String())
})
export type BillingPlan = Static<typeof BillingPlan>
export const BillingPlanResponse = Type.Object({ plan: BillingPlan })

export const OfferedPrice = Type.Object({
  /** The `price_id` for `POST /api/billing/checkout`. */
  id: Type.String(),
  interval: Type.Enum(['month', 'year']),
  amount: Amount,
  /** In lower case. */
  currency: Type.String()
})

/** A plan on sale. */
export const OfferedPlan = Type.Object({
  id: Type.String(),
  name: Type.String(),
  entitlements: Type.Array(Type.String()),
  /** Active inference keys of an account; null for any number. */
  key_quota: Type.Union([Type.Integer(), Type.Null()]),
  /** People who share an account; null for any number. */
  seats: Type.Union([Type.Integer(), Type.Null()]),
  requests_per_minute: Type.Integer(),
  /** Requests that may arrive at once: any 60 s admit at most `requests_per_minute` + `burst_requests`. */
  burst_requests: Type.Integer(),
  tokens_per_minute: Type.Integer(),
  /** Tokens that may come at once. A request may use more, up to `tokens_per_minute`, when no tokens are owed. */
  burst_tokens: Type.Integer(),
  /** The maximum cost of a calendar month. */
  monthly_budget_usd: Type.Number(),
  /** Empty for a plan that cannot be bought here. */
  prices: Type.Array(OfferedPrice)
})
export type OfferedPlan = Static<typeof OfferedPlan>
export const OfferedPlansResponse = Type.Object({ plans: Type.Array(OfferedPlan) })

export const CheckoutRequest = Type.Object({ price_id: Type.String({ minLength: 1, maxLength: 200 }) }, closed)
export type CheckoutRequest = Static<typeof CheckoutRequest>

export const PortalQuery = Type.Object(
  {
    /** Opens the page that confirms the switch to this price, and then returns to the dashboard. */
    price_id: Type.Optional(CheckoutRequest.properties.price_id)
  },
  closed
)
export type PortalQuery = Static<typeof PortalQuery>

/** The address to send the browser to. Anyone who has it can use it. */
export const RedirectResponse = Type.Object({ url: Type.String() })

export const Invoice = Type.Object({
  id: Type.String(),
  /** What people call it, such as `TG-0001`; null for a draft. */
  number: orNull(Type.String()),
  amount: Amount,
  /** In lower case. */
  currency: Type.String(),
  /** The payment provider's: draft, open, paid, uncollectible or void. */
  status: Type.String(),
  /** Unix seconds. */
  created: Type.Integer(),
  /** Until when to pay an invoice that is sent, in Unix seconds; null for one that charges a card. */
  due: Type.Union([Type.Integer(), Type.Null()]),
  /** Null for a draft. */
  pdf_url: orNull(Type.String())
})
export type Invoice = Static<typeof Invoice>

export const InvoicesQuery = Type.Object(
  {
    /** 1 to 100; default 24. */
    limit: Type.Optional(Type.String({ pattern: patterns.upTo100 })),
    /** Id of the last invoice of the previous page. */
    starting_after: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_]{1,100}$' }))
  },
  closed
)
export type InvoicesQuery = Static<typeof InvoicesQuery>

/** Newest first. */
export const InvoicesResponse = Type.Object({ invoices: Type.Array(Invoice), has_more: Type.Boolean() })

/** What the account will pay next. */
export const NextCharge = Type.Object({
  /** After discounts and credit. */
  amount: Amount,
  /** In lower case. */
  currency: Type.String(),
  /** When the payment provider charges it. */
  at: Instant
})
export type NextCharge = Static<typeof NextCharge>
/** Null if nothing will be charged, as for a plan without a price or after a cancellation. */
export const NextChargeResponse = Type.Object({ next_charge: Type.Union([NextCharge, Type.Null()]) })

/** Answer to every event with a valid signature. */
export const ReceivedResponse = Type.Object({ received: Type.Literal(true) })
