import { type Static, Type } from 'typebox'
import { ErrorResponse } from './error.ts'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

/** Kept as given; PostgreSQL cannot hold a NUL. */
const noNul = '^[^\\u0000]*$'
const Label = Type.String({ minLength: 1, maxLength: 100, pattern: noNul })
const Scope = Type.Enum(['inference', 'management'])
/** Names of models of the account's plan. */
const Models = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  minItems: 1,
  maxItems: 500,
  uniqueItems: true
})
/** Dollars a calendar month (UTC), with at most nine decimals. */
const MonthlyBudget = Type.Number({ minimum: 0, maximum: 1e6 })
const RequestsPerMinute = Type.Integer({ minimum: 1, maximum: 1e6 })

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

/** A key as listings show it: everything but the secret. */
export const Key = Type.Object({
  id: Type.String(),
  label: Type.String(),
  /** The first eight characters after `tg_` or `tgm_`. */
  prefix: Type.String(),
  status: Type.Enum(['active', 'revoked']),
  scope: Scope,
  expires_at: orNull(Instant),
  /** Null for all models of the plan. */
  models: orNull(Type.Array(Type.String())),
  monthly_budget_usd: orNull(Type.Number()),
  requests_per_minute: orNull(Type.Integer()),
  metadata: Type.Record(Type.String(), Type.String()),
  last_used: orNull(Instant),
  created: Instant,
  /** Whether the caller may change, rotate and revoke the key. A team member may do so only with their own keys. */
  can_change: Type.Boolean()
})
export type Key = Static<typeof Key>

/** A new key with its secret, which is shown only once. */
export const CreatedKey = Type.Object({ id: Type.String(), label: Type.String(), value: Type.String() })
export type CreatedKey = Static<typeof CreatedKey>

/**
 * Whether Redis has acknowledged the key's present state. While it is false, gateways may go by an earlier state: an old
 * secret may still work, and a new one may not work yet.
 */
const InForce = Type.Boolean({ description: 'Whether gateways go by this state of the key already.' })

/** A key with a new secret, which is shown only once. */
export const RotatedKey = Type.Object({ ...CreatedKey.properties, in_force: InForce })
export type RotatedKey = Static<typeof RotatedKey>

/** What a key may do and until when, and how its maker finds it. */
const terms = {
  expires_at: Type.Optional(orNull(Instant)),
  models: Type.Optional(orNull(Models)),
  monthly_budget_usd: Type.Optional(orNull(MonthlyBudget)),
  requests_per_minute: Type.Optional(orNull(RequestsPerMinute)),
  metadata: Type.Optional(Metadata)
}

export const CreateKeyRequest = Type.Object(
  {
    label: Label,
    /** `inference` unless given. Management keys are made by the owner, in a session. */
    scope: Type.Optional(Scope),
    ...terms
  },
  closed
)
export type CreateKeyRequest = Static<typeof CreateKeyRequest>

/** Absent members stay as they are; null removes a limit. `metadata` replaces all pairs. */
export const ChangeKeyRequest = Type.Object(
  {
    label: Type.Optional(Label),
    ...terms
  },
  closed
)
export type ChangeKeyRequest = Static<typeof ChangeKeyRequest>

const RotateKeyBody = Type.Object(
  {
    /** How long the old secret works on; 0 unless given. */
    grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 }))
  },
  closed
)
/** The body may be missing or empty. */
export const RotateKeyRequest = Type.Union([RotateKeyBody, Type.Null()])
export type RotateKeyRequest = Static<typeof RotateKeyRequest>

export const KeyParams = Type.Object({ id: Type.String() })
export type KeyParams = Static<typeof KeyParams>

/** Besides these, `metadata.<name>=<value>` for each pair that a key must have. */
export const ListKeysQuery = Type.Object(
  {
    /** 1 to 1000; 100 unless given. */
    limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]{0,2}|1000)$' })),
    /** `next_cursor` of the page before. */
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    /** Also keys that were revoked within 30 days. */
    include_revoked: Type.Optional(Type.Enum(['true', 'false']))
  },
  {
    patternProperties: { [`^metadata\\.${metadataName}$`]: Type.String({ maxLength: 500, pattern: noNul }) },
    ...closed
  }
)
export type ListKeysQuery = Static<typeof ListKeysQuery>

export const ListKeysResponse = Type.Object({
  keys: Type.Array(Key),
  /** Null on the last page. */
  next_cursor: orNull(Type.String())
})
export const KeyResponse = Type.Object({ key: Key })
/** One key by itself. */
export const GetKeyResponse = Type.Object({ key: Type.Object({ ...Key.properties, in_force: InForce }) })
export const CreateKeyResponse = Type.Object({ key: CreatedKey })
export const RotateKeyResponse = Type.Object({ key: RotatedKey })

/** The error shape, and the id of the key that an earlier request with the same `Idempotency-Key` made. */
export const AlreadyCreatedResponse = Type.Object({
  ...ErrorResponse.properties,
  key: Type.Optional(Type.Object({ id: Type.String() }))
})
