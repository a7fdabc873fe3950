import { type Static, Type } from 'typebox'
import { maxAddresses } from '../keys/ip-addresses.ts'
import { maxBudgets } from '../records/budget-windows.ts'
import { KeyBudget, KeyBudgetTerms, UsedKeyBudget } from './budgets.ts'
import { ErrorResponse } from './error.ts'
import { patterns } from './patterns.ts'
import { Thresholds } from './thresholds.ts'
import { OpenRefusal } from './usage.ts'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

/** Stored unchanged. PostgreSQL cannot store a NUL. */
const noNul = '^[^\\u0000]*$'
const Label = Type.String({ minLength: 1, maxLength: 100, pattern: patterns.label })
const Scope = Type.Enum(['inference', 'management'])
/** Models of the account's plan. */
const Models = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  minItems: 1,
  maxItems: 500,
  uniqueItems: true
})
/** IP addresses, and ranges such as `203.0.113.0/24`. */
const Addresses = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  minItems: 1,
  maxItems: maxAddresses,
  uniqueItems: true
})
/** Dollars a calendar month (UTC), with at most nine decimals. */
const MonthlyBudget = Type.Number({ minimum: 0, maximum: 1e6 })

const besides = 'The limits of the account apply, too.'
/** The limits of a key that apply besides those of the account; null for none. */
const OwnLimits = {
  requests_per_minute: orNull(
    Type.Integer({ minimum: 1, maximum: 1e6, description: `Requests that may start in a minute. ${besides}` })
  ),
  tokens_per_minute: orNull(
    Type.Integer({
      minimum: 1,
      maximum: 1e9,
      description: `Tokens in each minute of the clock (UTC). A request counts with its prompt and its maximum output while it runs, and with what it used when it ends. ${besides}`
    })
  ),
  concurrent_requests: orNull(
    Type.Integer({ minimum: 1, maximum: 1e6, description: `Requests that may run at once. ${besides}` })
  )
}

const metadataName = '[A-Za-z0-9_.-]{1,40}'
/** Pairs by which a partner finds a key, such as the id of a tenant. */
const Metadata = Type.Record(
  Type.String({ pattern: `^${metadataName}$` }),
  Type.String({ maxLength: 500, pattern: noNul }),
  {
    maxProperties: 16,
    ...closed
  }
)

/** What happens to a request that a budget refuses; null: it stays refused. */
const OnExhausted = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'A model of the key that serves the request instead, if it fits then. The answer has the header `x-tollgate-model`, and the receipt both models.'
    })
  },
  closed
)

/** A key without its secret. */
export const Key = Type.Object({
  id: Type.String(),
  label: Type.String(),
  /** The first eight characters after `tg_` or `tgm_`. */
  prefix: Type.String(),
  status: Type.Enum(['active', 'revoked']),
  /** Whether its requests are refused until somebody resumes it. */
  paused: Type.Boolean(),
  scope: Scope,
  expires_at: orNull(Instant),
  /** Null for all models of the plan. */
  models: orNull(Type.Array(Type.String())),
  /** The IP addresses and ranges from which it works; null for everywhere. */
  addresses: orNull(Type.Array(Type.String())),
  monthly_budget_usd: orNull(Type.Number()),
  /** All budgets, also the one of a month that `monthly_budget_usd` has. */
  budgets: Type.Array(KeyBudget),
  on_exhausted: orNull(OnExhausted),
  /** Percent of each of its budgets at which the owner is told, in order; null for the account's `key_thresholds`. */
  thresholds: orNull(Type.Array(Type.Integer())),
  ...OwnLimits,
  metadata: Type.Record(Type.String(), Type.String()),
  last_used: orNull(Instant),
  created: Instant,
  /** When the secret before the last rotation stops working; may be in the past. Null if it stopped at once. */
  old_secret_until: orNull(Instant),
  /** Whether the caller may change, rotate and revoke the key. A team member may do so only with their own keys. */
  can_change: Type.Boolean()
})
export type Key = Static<typeof Key>

/** A key as lists show it. */
export const ListedKey = Type.Object({
  ...Key.properties,
  /** The name of the person who created it; null if a management key did, or if the person is gone. */
  creator: orNull(Type.String()),
  /** Why it refuses requests now. Empty: it does not. */
  refusals: Type.Array(OpenRefusal),
  /** What it has spent this month, in dollars. Only if the query has `spend=true`. */
  spent_usd: Type.Optional(Type.String())
})
export type ListedKey = Static<typeof ListedKey>

/** A new key with its secret, which is shown only once. */
export const CreatedKey = Type.Object({ id: Type.String(), label: Type.String(), value: Type.String() })
export type CreatedKey = Static<typeof CreatedKey>

/**
 * Whether Redis has acknowledged the current state of the key. While it is false, gateways may use an earlier state: an
 * old secret may still work, and a new secret may not work yet.
 */
const InForce = Type.Boolean({ description: 'Whether this state of the key is in force at all gateways.' })

/** A key with a new secret, which is shown only once. */
export const RotatedKey = Type.Object({ ...CreatedKey.properties, in_force: InForce })
export type RotatedKey = Static<typeof RotatedKey>

/** Limits, thresholds, expiry and metadata of a key, and whether it is paused. */
const terms = {
  /** True refuses new requests, false allows them again. Open requests go on. */
  paused: Type.Optional(Type.Boolean()),
  expires_at: Type.Optional(orNull(Instant)),
  models: Type.Optional(orNull(Models)),
  /** The IP addresses and ranges from which the key works. */
  addresses: Type.Optional(orNull(Addresses)),
  monthly_budget_usd: Type.Optional(orNull(MonthlyBudget)),
  /**
   * All budgets of the key: others are removed, also that of a month which `monthly_budget_usd` has. A new one counts
   * what its window has already spent. A request must fit into each budget that counts it.
   */
  budgets: Type.Optional(Type.Array(KeyBudgetTerms, { maxItems: maxBudgets })),
  on_exhausted: Type.Optional(orNull(OnExhausted)),
  /** Percent of each of its budgets; null for the account's `key_thresholds`, empty for none. */
  thresholds: Type.Optional(orNull(Thresholds)),
  requests_per_minute: Type.Optional(OwnLimits.requests_per_minute),
  tokens_per_minute: Type.Optional(OwnLimits.tokens_per_minute),
  concurrent_requests: Type.Optional(OwnLimits.concurrent_requests),
  metadata: Type.Optional(Metadata)
}

export const CreateKeyRequest = Type.Object(
  {
    label: Label,
    /** Default `inference`. Only the owner can create management keys, in a session. */
    scope: Type.Optional(Scope),
    /** The account that the key must belong to. If the caller acts for another one, no key is created. */
    account_id: Type.Optional(Type.String()),
    ...terms
  },
  closed
)
export type CreateKeyRequest = Static<typeof CreateKeyRequest>

/** Absent members do not change. Null removes a limit. `metadata` replaces all pairs. */
export const ChangeKeyRequest = Type.Object(
  {
    label: Type.Optional(Label),
    ...terms
  },
  closed
)
export type ChangeKeyRequest = Static<typeof ChangeKeyRequest>

export const ChangeKeyBody = Type.Object(
  {
    ...ChangeKeyRequest.properties,
    /**
     * The budget that the caller saw. If the key has another one now, nothing changes. Without it, the last change
     * counts.
     */
    if_monthly_budget_usd: Type.Optional(orNull(MonthlyBudget))
  },
  closed
)

/** What to add to the lifetime budget of a key. */
export const TopUpKeyRequest = Type.Object(
  { add_usd: Type.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'Dollars, with at most nine decimals.' }) },
  closed
)
export type TopUpKeyRequest = Static<typeof TopUpKeyRequest>

const RotateKeyBody = Type.Object(
  {
    /** How long the old secret still works; default 0. */
    grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
    /** Whether open requests with the old secret end, too; default false. Only without a grace. */
    cut_streams: Type.Optional(Type.Boolean())
  },
  closed
)
/** The body may be missing or empty. */
export const RotateKeyRequest = Type.Union([RotateKeyBody, Type.Null()])
export type RotateKeyRequest = Static<typeof RotateKeyRequest>

export const KeyParams = Type.Object({ id: Type.String() })
export type KeyParams = Static<typeof KeyParams>

export const RevokeKeyQuery = Type.Object(
  {
    /** Whether open requests with the key end, too; default false. */
    cut_streams: Type.Optional(Type.Enum(['true', 'false']))
  },
  closed
)
export type RevokeKeyQuery = Static<typeof RevokeKeyQuery>

/** Further parameters: `metadata.<name>=<value>` for each pair that a key must have. */
export const ListKeysQuery = Type.Object(
  {
    /** 1 to 1000; default 100. */
    limit: Type.Optional(Type.String({ pattern: patterns.upTo1000 })),
    /** `next_cursor` of the previous page. */
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    /** Includes keys that were revoked in the last 30 days. */
    include_revoked: Type.Optional(Type.Enum(['true', 'false'])),
    /** A part of the label or of a value of the metadata, in any case; the beginning of a key; or its id. */
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: noNul })),
    /** Default `newest`. All pages of a list need the same order. `spend`: the most spent this month comes first. */
    sort: Type.Optional(Type.Enum(['newest', 'label', 'last_used', 'spend'])),
    /** Whether each key has `spent_usd`. */
    spend: Type.Optional(Type.Enum(['true', 'false']))
  },
  {
    patternProperties: { [patterns.metadataFilter]: Type.String({ maxLength: 500, pattern: noNul }) },
    ...closed
  }
)
export type ListKeysQuery = Static<typeof ListKeysQuery>

export const ListKeysResponse = Type.Object({
  keys: Type.Array(ListedKey),
  /** Null on the last page. */
  next_cursor: orNull(Type.String())
})
export const KeyResponse = Type.Object({ key: Key })
export const GetKeyResponse = Type.Object({
  key: Type.Object({
    ...ListedKey.properties,
    budgets: Type.Array(UsedKeyBudget),
    spent_usd: Type.String(),
    in_force: InForce
  })
})
export const CreateKeyResponse = Type.Object({ key: CreatedKey })
export const RotateKeyResponse = Type.Object({ key: RotatedKey })

/** The error body with the id of the key that an earlier request with the same `Idempotency-Key` created. */
export const AlreadyCreatedResponse = Type.Object({
  ...ErrorResponse.properties,
  key: Type.Optional(Type.Object({ id: Type.String() }))
})
