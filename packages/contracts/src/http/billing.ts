import { type Static, Type } from 'typebox'
import { described } from './described.ts'
import { patterns } from './patterns.ts'

const closed = { additionalProperties: false } as const
const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()])
const Instant = Type.String({ format: 'date-time' })
/** In the currency's smallest unit. */
const Amount = described("Money in the currency's smallest unit, such as cents.", Type.Integer())

/** The plan in force for the caller's account. */
export const BillingPlan = Type.Object({
  id: described('The id of the plan.', Type.String()),
  name: described('The name of the plan.', Type.String()),
  renews_at: described(
    'When the subscription renews, even while a plan set by hand is in force; null without a renewal.',
    orNull(Instant)
  ),
  entitlements: described('What else the plan includes, such as `partner_api`.', Type.Array(Type.String())),
  past_due: described('Whether the last payment failed and will be retried.', Type.Boolean()),
  cancel_at: described('When a cancelled subscription ends; else null.', orNull(Instant)),
  price_id: described(
    'The price, as `GET /api/billing/plans` lists it; null for a plan without a price.',
    orNull(Type.String())
  )
})
export type BillingPlan = Static<typeof BillingPlan>
export const BillingPlanResponse = Type.Object({ plan: described("The account's plan.", BillingPlan) })

export const OfferedPrice = Type.Object({
  id: described('The `price_id` for `POST /api/billing/checkout`.', Type.String()),
  interval: described('How often it is paid.', Type.Enum(['month', 'year'])),
  amount: Amount,
  currency: described('In lower case.', Type.String())
})

/** A plan on sale. */
export const OfferedPlan = Type.Object({
  id: described('The id of the plan.', Type.String()),
  name: described('The name of the plan.', Type.String()),
  entitlements: described('What else the plan includes, such as `partner_api`.', Type.Array(Type.String())),
  key_quota: described(
    'Active inference keys of an account; null for any number.',
    Type.Union([Type.Integer(), Type.Null()])
  ),
  seats: described('People who share an account; null for any number.', Type.Union([Type.Integer(), Type.Null()])),
  requests_per_minute: described('Requests that may start in a minute.', Type.Integer()),
  burst_requests: described(
    'Requests that may arrive at once: any 60 s admit at most `requests_per_minute` + `burst_requests`.',
    Type.Integer()
  ),
  tokens_per_minute: described('Tokens that may be used in a minute.', Type.Integer()),
  burst_tokens: described(
    'Tokens that may come at once. A request may use more, up to `tokens_per_minute`, when no tokens are owed.',
    Type.Integer()
  ),
  monthly_budget_usd: described('The maximum cost of a calendar month.', Type.Number()),
  prices: described('Empty for a plan that cannot be bought here.', Type.Array(OfferedPrice))
})
export type OfferedPlan = Static<typeof OfferedPlan>
export const OfferedPlansResponse = Type.Object({ plans: described('The plans on sale.', Type.Array(OfferedPlan)) })

export const CheckoutRequest = Type.Object(
  {
    price_id: described(
      'The `id` of a price of `GET /api/billing/plans`.',
      Type.String({ minLength: 1, maxLength: 200 })
    )
  },
  closed
)
export type CheckoutRequest = Static<typeof CheckoutRequest>

export const PortalQuery = Type.Object(
  {
    price_id: described(
      'Opens the page that confirms the switch to this price, and then returns to the dashboard.',
      Type.Optional(CheckoutRequest.properties.price_id)
    )
  },
  closed
)
export type PortalQuery = Static<typeof PortalQuery>

/** The address to send the browser to. Anyone who has it can use it. */
export const RedirectResponse = Type.Object({
  url: described(
    'The address to send the browser to. Anyone who has it can use it.',
    Type.String(),
    'https://checkout.stripe.com/c/pay/cs_1SXkq2'
  )
})

export const Invoice = Type.Object({
  id: described("The payment provider's id of the invoice.", Type.String()),
  number: described('What people call it, such as `TG-0001`; null for a draft.', orNull(Type.String())),
  amount: Amount,
  currency: described('In lower case.', Type.String()),
  status: described("The payment provider's: draft, open, paid, uncollectible or void.", Type.String()),
  created: described('Unix seconds.', Type.Integer()),
  due: described(
    'Until when to pay an invoice that is sent, in Unix seconds; null for one that charges a card.',
    Type.Union([Type.Integer(), Type.Null()])
  ),
  pdf_url: described('Null for a draft.', orNull(Type.String()))
})
export type Invoice = Static<typeof Invoice>

export const InvoicesQuery = Type.Object(
  {
    limit: described('1 to 100; default 24.', Type.Optional(Type.String({ pattern: patterns.upTo100 }))),
    starting_after: described(
      'Id of the last invoice of the previous page.',
      Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_]{1,100}$' }))
    )
  },
  closed
)
export type InvoicesQuery = Static<typeof InvoicesQuery>

/** Newest first. */
export const InvoicesResponse = Type.Object({
  invoices: described('Newest first.', Type.Array(Invoice)),
  has_more: described('Whether there is a further page.', Type.Boolean())
})

/** What the account will pay next. */
export const NextCharge = Type.Object({
  amount: described('After discounts and credit.', Amount),
  currency: described('In lower case.', Type.String()),
  at: described('When the payment provider charges it.', Instant)
})
export type NextCharge = Static<typeof NextCharge>
/** Null if nothing will be charged, as for a plan without a price or after a cancellation. */
export const NextChargeResponse = Type.Object({
  next_charge: described(
    'Null if nothing will be charged, as for a plan without a price or after a cancellation.',
    Type.Union([NextCharge, Type.Null()])
  )
})

/** Answer to every event with a valid signature. */
export const ReceivedResponse = Type.Object({ received: described('Always true.', Type.Literal(true)) })
