import { type Static, Type } from 'typebox'
import { maxAddresses } from '../keys/ip-addresses.ts'
import { maxBudgets } from '../records/budget-windows.ts'
import { KeyBudget, KeyBudgetTerms, UsedKeyBudget } from './budgets.ts'
import { described } from './described.ts'
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
const Label = described(
  'The name of the key for people, 1 to 100 characters.',
  Type.String({ minLength: 1, maxLength: 100, pattern: patterns.label })
)
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
  id: described('The id of the key, `key_…`. It stays the same when the secret is rotated.', Type.String()),
  label: described('The name of the key for people.', Type.String()),
  prefix: described('The first eight characters after `tg_` or `tgm_`.', Type.String()),
  status: described('A revoked key never works again. Lists keep it for 30 days.', Type.Enum(['active', 'revoked'])),
  paused: described('Whether its requests are refused until somebody resumes it.', Type.Boolean()),
  scope: described(
    '`inference`: calls models. `management`: manages the account’s keys, usage and webhooks by this API.',
    Scope
  ),
  expires_at: described('When it stops working; null: never.', orNull(Instant)),
  models: described('Null for all models of the plan.', orNull(Type.Array(Type.String()))),
  addresses: described(
    'The IP addresses and ranges from which it works; null for everywhere.',
    orNull(Type.Array(Type.String()))
  ),
  monthly_budget_usd: described(
    'US dollars that its requests may cost in a calendar month (UTC); null: only the budgets of the account apply.',
    orNull(Type.Number())
  ),
  budgets: described('All budgets, also the one of a month that `monthly_budget_usd` has.', Type.Array(KeyBudget)),
  on_exhausted: described('What happens to a request that a budget refuses; null: it gets 402.', orNull(OnExhausted)),
  thresholds: described(
    "Percent of each of its budgets at which the owner is told, in order; null for the account's `key_thresholds`.",
    orNull(Type.Array(Type.Integer()))
  ),
  ...OwnLimits,
  metadata: described(
    'Your own pairs, such as the id of your customer. Lists and usage can be filtered and grouped by them.',
    Type.Record(Type.String(), Type.String())
  ),
  last_used: described('When it was last used, up to a minute late; null: never.', orNull(Instant)),
  created: described('When it was created.', Instant),
  old_secret_until: described(
    'When the secret before the last rotation stops working; may be in the past. Null if it stopped at once.',
    orNull(Instant)
  ),
  can_change: described(
    'Whether the caller may change, rotate and revoke the key. A team member may do so only with their own keys.',
    Type.Boolean()
  )
})
export type Key = Static<typeof Key>

/** A key as lists show it. */
export const ListedKey = Type.Object({
  ...Key.properties,
  creator: described(
    'The name of the person who created it; null if a management key did, or if the person is gone.',
    orNull(Type.String())
  ),
  refusals: described('Why it refuses requests now. Empty: it does not.', Type.Array(OpenRefusal)),
  spent_usd: described(
    'What it has spent this month, in dollars. Only if the query has `spend=true`.',
    Type.Optional(Type.String())
  )
})
export type ListedKey = Static<typeof ListedKey>

/** A new key with its secret, which is shown only once. */
export const CreatedKey = Type.Object({
  id: described('The id of the key. Use it to change, rotate or revoke the key.', Type.String()),
  label: described('The name of the key for people.', Type.String()),
  value: described('The secret, `tg_…`. It is shown only in this answer.', Type.String())
})
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
  paused: described(
    'True refuses new requests, false allows them again. Open requests go on.',
    Type.Optional(Type.Boolean())
  ),
  expires_at: described('When the key stops working. Null or absent: never.', Type.Optional(orNull(Instant))),
  models: described(
    "The models that the key may use, of the account's plan. Null or absent: all of them.",
    Type.Optional(orNull(Models))
  ),
  addresses: described('The IP addresses and ranges from which the key works.', Type.Optional(orNull(Addresses))),
  monthly_budget_usd: described(
    'US dollars that its requests may cost in a calendar month (UTC), with at most nine decimals. Requests beyond it get 402. Null or absent: only the budgets of the account apply.',
    Type.Optional(orNull(MonthlyBudget))
  ),
  budgets: described(
    'All budgets of the key: others are removed, also that of a month which `monthly_budget_usd` has. A new one counts what its window has already spent. A request must fit into each budget that counts it.',
    Type.Optional(Type.Array(KeyBudgetTerms, { maxItems: maxBudgets }))
  ),
  on_exhausted: described(
    'What happens to a request that a budget refuses. Null or absent: it gets 402.',
    Type.Optional(orNull(OnExhausted))
  ),
  thresholds: described(
    "Percent of each of its budgets; null for the account's `key_thresholds`, empty for none.",
    Type.Optional(orNull(Thresholds))
  ),
  requests_per_minute: Type.Optional(OwnLimits.requests_per_minute),
  tokens_per_minute: Type.Optional(OwnLimits.tokens_per_minute),
  concurrent_requests: Type.Optional(OwnLimits.concurrent_requests),
  metadata: described(
    'Your own pairs, such as the id of your customer: up to 16, with names of up to 40 characters (letters, digits, `_`, `.`, `-`) and values of up to 500. Default: none.',
    Type.Optional(Metadata)
  )
}

export const CreateKeyRequest = Type.Object(
  {
    label: Label,
    scope: described(
      'Default `inference`. Only the owner can create management keys, in a session.',
      Type.Optional(Scope)
    ),
    account_id: described(
      'The account that the key must belong to. If the caller acts for another one, no key is created.',
      Type.Optional(Type.String())
    ),
    ...terms
  },
  { ...closed, examples: [{ label: 'My app', monthly_budget_usd: 50, metadata: { tenant: '7' } }] }
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
    if_monthly_budget_usd: described(
      'The budget that the caller saw. If the key has another one now, nothing changes. Without it, the last change counts.',
      Type.Optional(orNull(MonthlyBudget))
    )
  },
  { ...closed, examples: [{ monthly_budget_usd: 25, paused: false }] }
)

/** What to add to the lifetime budget of a key. */
export const TopUpKeyRequest = Type.Object(
  { add_usd: Type.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'Dollars, with at most nine decimals.' }) },
  closed
)
export type TopUpKeyRequest = Static<typeof TopUpKeyRequest>

const RotateKeyBody = Type.Object(
  {
    grace_seconds: described(
      'How long the old secret still works; default 0.',
      Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 }))
    ),
    cut_streams: described(
      'Whether open requests with the old secret end, too; default false. Only without a grace.',
      Type.Optional(Type.Boolean())
    )
  },
  closed
)
/** The body may be missing or empty. */
export const RotateKeyRequest = Type.Union([RotateKeyBody, Type.Null()])
export type RotateKeyRequest = Static<typeof RotateKeyRequest>

export const KeyParams = Type.Object({ id: described('The id of the key, `key_…`.', Type.String()) })
export type KeyParams = Static<typeof KeyParams>

export const RevokeKeyQuery = Type.Object(
  {
    cut_streams: described(
      'Whether open requests with the key end, too; default false.',
      Type.Optional(Type.Enum(['true', 'false']))
    )
  },
  closed
)
export type RevokeKeyQuery = Static<typeof RevokeKeyQuery>

/** Further parameters: `metadata.<name>=<value>` for each pair that a key must have. */
export const ListKeysQuery = Type.Object(
  {
    limit: described('1 to 1000; default 100.', Type.Optional(Type.String({ pattern: patterns.upTo1000 }))),
    cursor: described(
      '`next_cursor` of the previous page.',
      Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
    ),
    include_revoked: described(
      'Includes keys that were revoked in the last 30 days.',
      Type.Optional(Type.Enum(['true', 'false']))
    ),
    q: described(
      'A part of the label or of a value of the metadata, in any case; the beginning of a key; or its id.',
      Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: noNul }))
    ),
    sort: described(
      'Default `newest`. All pages of a list need the same order. `spend`: the most spent this month comes first.',
      Type.Optional(Type.Enum(['newest', 'label', 'last_used', 'spend']))
    ),
    spend: described('Whether each key has `spent_usd`.', Type.Optional(Type.Enum(['true', 'false'])))
  },
  {
    patternProperties: { [patterns.metadataFilter]: Type.String({ maxLength: 500, pattern: noNul }) },
    ...closed
  }
)
export type ListKeysQuery = Static<typeof ListKeysQuery>

export const ListKeysResponse = Type.Object({
  keys: described('A page of keys, in the wanted order.', Type.Array(ListedKey)),
  next_cursor: described('Null on the last page.', orNull(Type.String()))
})
export const KeyResponse = Type.Object({ key: described('The key after the change, without its secret.', Key) })
export const GetKeyResponse = Type.Object({
  key: described(
    'The key, without its secret.',
    Type.Object({
      ...ListedKey.properties,
      budgets: described('All budgets of the key, with what is used of each.', Type.Array(UsedKeyBudget)),
      spent_usd: described('US dollars that it has spent this month (UTC).', Type.String()),
      in_force: InForce
    })
  )
})
export const CreateKeyResponse = Type.Object({ key: described('The new key with its secret.', CreatedKey) })
export const RotateKeyResponse = Type.Object({ key: described('The key with its new secret.', RotatedKey) })

/** The error body with the id of the key that an earlier request with the same `Idempotency-Key` created. */
export const AlreadyCreatedResponse = Type.Object({
  ...ErrorResponse.properties,
  key: described('The key that the earlier request created.', Type.Optional(Type.Object({ id: Type.String() })))
})
