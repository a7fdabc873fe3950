import { type Static, Type } from 'typebox'
import { AuditEntry } from '../audit.ts'
import { described } from '../described.ts'
import { Adjustment, OpenRefusal } from '../usage.ts'
import { AccountId, Count, Cursor, closed, Instant, NextCursor, PageLimit, Reason, Usd } from './adjustments.ts'

const AccountStatus = Type.Enum(['active', 'suspended'])
const SuspensionReason = Type.Enum(['identity', 'team', 'deleted', 'operator', 'approval'])

export const AdminAccountsQuery = Type.Object(
  {
    q: described(
      "A part of an address, the beginning of an account's id, a key's id, or a value of a key's metadata.",
      Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
    ),
    plan: described('The plan in force.', Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))),
    status: described(
      "`waiting`: for an operator's approval; `in_team`: paused while the owner has a seat in a team. Each account has one of the four.",
      Type.Optional(Type.Enum(['active', 'suspended', 'waiting', 'in_team']))
    ),
    past_due: described('Only accounts whose last payment failed.', Type.Optional(Type.Literal('true'))),
    sort: described(
      'Default `spend`: most spent this month first. `created`: newest first.',
      Type.Optional(Type.Enum(['spend', 'created']))
    ),
    limit: described('1 to 100; default 50.', Type.Optional(PageLimit)),
    cursor: Type.Optional(Cursor)
  },
  closed
)
export type AdminAccountsQuery = Static<typeof AdminAccountsQuery>

/** An account in the list. */
export const AdminAccountListing = Type.Object({
  id: AccountId,
  email: described('Address and name of the owner; empty after the owner is deleted.', Type.String()),
  name: Type.String(),
  plan: described('The plan in force.', Type.String()),
  status: AccountStatus,
  suspended_for: described('Every reason for which the account is suspended.', Type.Array(SuspensionReason)),
  team: described(
    'The team in which its owner has a seat, with the address of that team’s owner; null without one.',
    Type.Union([Type.Object({ account_id: AccountId, owner_email: Type.String() }), Type.Null()])
  ),
  past_due: Type.Boolean(),
  people: described('People who act for the account, its owner included.', Count),
  keys: described('Active keys.', Count),
  spent_usd: described('Spend of this month, up to some seconds old.', Usd),
  created_at: Instant
})
export type AdminAccountListing = Static<typeof AdminAccountListing>

export const AdminAccountsResponse = Type.Object({
  accounts: Type.Array(AdminAccountListing),
  has_more: Type.Boolean(),
  next_cursor: NextCursor
})
export type AdminAccountsResponse = Static<typeof AdminAccountsResponse>

/**
 * Where a limit comes from: the plan, an operator, the owner, or other accounts of the mailbox, which share its free
 * budget.
 */
const LimitSource = Type.Enum(['plan', 'operator', 'owner', 'mailbox'])
const limit = <Value extends Type.TSchema>(value: Value) =>
  Type.Object({
    value: Type.Union([value, Type.Null()]),
    from: LimitSource,
    plan_value: described("The plan's value. Null: no limit.", Type.Union([value, Type.Null()])),
    operator_value: described(
      "What an operator set, also while the owner's lower cap applies. Null: nothing.",
      Type.Union([value, Type.Null()])
    ),
    ends_at: described(
      "When the operator's value ends; null for no end, and without an operator's value.",
      Type.Union([Instant, Type.Null()])
    )
  })

/** The limits in force, and the price group. */
export const AdminLimits = Type.Object({
  monthly_budget_usd: limit(Type.Number()),
  request_budget_usd: limit(Type.Number()),
  requests_per_minute: limit(Type.Integer()),
  tokens_per_minute: limit(Type.Integer()),
  concurrent_requests: limit(Type.Integer()),
  key_quota: limit(Type.Integer()),
  /** Null: the list prices. */
  price_group: limit(Type.String())
})
export type AdminLimits = Static<typeof AdminLimits>

/** A user who acts for the account. */
export const AdminUser = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Type.String(),
  role: Type.Enum(['owner', 'seat']),
  sessions: described('Open sessions.', Count)
})

export const AdminKey = Type.Object({
  id: Type.String(),
  label: Type.String(),
  prefix: Type.String(),
  scope: Type.Enum(['inference', 'management']),
  status: Type.Enum(['active', 'paused', 'revoked', 'expired']),
  created_at: Instant,
  last_used_at: Type.Union([Instant, Type.Null()]),
  expires_at: Type.Union([Instant, Type.Null()])
})
export type AdminKey = Static<typeof AdminKey>

/** The subscription at the payment provider, as control last read it. */
export const AdminSubscription = Type.Object({
  customer_id: Type.String(),
  id: Type.Union([Type.String(), Type.Null()]),
  status: Type.Union([Type.String(), Type.Null()]),
  price_id: Type.Union([Type.String(), Type.Null()]),
  past_due: Type.Boolean(),
  renews_at: Type.Union([Instant, Type.Null()]),
  cancel_at: Type.Union([Instant, Type.Null()])
})

export const AdminInvoice = Type.Object({
  id: Type.String(),
  amount: described("In the currency's smallest unit.", Type.Integer()),
  currency: Type.String(),
  status: Type.String(),
  created_at: Instant,
  pdf_url: Type.Union([Type.String(), Type.Null()])
})

export const AdminAccount = Type.Object({
  ...AdminAccountListing.properties,
  own_plan: described("The plan without an operator's override.", Type.String()),
  plan_override: described(
    'The plan that an operator set, until `ends_at`; null without one.',
    Type.Union([Type.Object({ id: Type.String(), ends_at: Type.Union([Instant, Type.Null()]) }), Type.Null()])
  ),
  limits: AdminLimits,
  reserved_usd: described('Reserved for running requests; `0.00` while Redis is unavailable.', Usd),
  users: Type.Array(AdminUser),
  key_list: described(
    'The newest 100 keys, active keys first. `refusals`: why a key refuses requests now.',
    Type.Array(Type.Object({ ...AdminKey.properties, refusals: Type.Array(OpenRefusal) }))
  ),
  subscription: described(
    'Null for an account that never bought anything.',
    Type.Union([AdminSubscription, Type.Null()])
  ),
  invoices: described(
    'The newest 20; null while the payment provider is unavailable.',
    Type.Union([Type.Array(AdminInvoice), Type.Null()])
  ),
  adjustments: described('The newest 100.', Type.Array(Adjustment)),
  audit: described("The newest 50 entries of the account's audit log.", Type.Array(AuditEntry))
})
export type AdminAccount = Static<typeof AdminAccount>

export const AdminAccountResponse = Type.Object({ account: AdminAccount })
export type AdminAccountResponse = Static<typeof AdminAccountResponse>
export const AdminAccountParams = Type.Object({ id: Type.String() })

/** For calls that only need a reason. */
export const ReasonRequest = Type.Object({ reason: Reason }, closed)
export type ReasonRequest = Static<typeof ReasonRequest>
export const SignedOutResponse = Type.Object({ ok: Type.Literal(true), sessions: Count })
export type SignedOutResponse = Static<typeof SignedOutResponse>

const Budget = Type.Number({ minimum: 0, maximum: 1e6 })
const Rate = Type.Integer({ minimum: 1, maximum: 1e9 })

/**
 * An operator's limits. Each replaces the plan's, whether it is lower or higher. Dollars have at most nine decimals.
 */
export const OwnLimits = Type.Object(
  {
    monthly_budget_usd: Type.Optional(Budget),
    request_budget_usd: Type.Optional(Budget),
    requests_per_minute: Type.Optional(Rate),
    tokens_per_minute: Type.Optional(Rate),
    concurrent_requests: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e6 })),
    key_quota: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e6 })),
    price_group: described(
      "One of the catalog's `price_groups`.",
      Type.Optional(Type.String({ minLength: 1, maxLength: 40 }))
    ),
    ends_at: described('When these limits end. Null: never.', Type.Union([Instant, Type.Null()]))
  },
  closed
)
export type OwnLimits = Static<typeof OwnLimits>

/** A missing member changes nothing. Null removes an override. */
export const ChangeAccountByOperatorRequest = Type.Object(
  {
    reason: Reason,
    plan: Type.Optional(
      Type.Union([
        Type.Object(
          { id: Type.String({ minLength: 1, maxLength: 100 }), ends_at: Type.Union([Instant, Type.Null()]) },
          closed
        ),
        Type.Null()
      ])
    ),
    limits: described(
      'Replaces all limits that an operator set before.',
      Type.Optional(Type.Union([OwnLimits, Type.Null()]))
    )
  },
  closed
)
export type ChangeAccountByOperatorRequest = Static<typeof ChangeAccountByOperatorRequest>
