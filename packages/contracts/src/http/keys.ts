import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })

/** A key as listings show it: everything but the secret. */
export const Key = Type.Object({
  id: Type.String(),
  label: Type.String(),
  /** The first eight characters after `tg_`. */
  prefix: Type.String(),
  status: Type.Enum(['active', 'revoked']),
  scope: Type.Enum(['inference', 'management']),
  expires_at: Type.Union([Instant, Type.Null()]),
  last_used: Type.Union([Instant, Type.Null()]),
  created: Instant
})
export type Key = Static<typeof Key>

/** A key at its creation, the only time its secret is told. */
export const CreatedKey = Type.Object({ id: Type.String(), label: Type.String(), value: Type.String() })
export type CreatedKey = Static<typeof CreatedKey>

/** Kept as given; PostgreSQL cannot hold a NUL. */
const Label = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000]*$' })

export const CreateKeyRequest = Type.Object({ label: Label }, closed)
export type CreateKeyRequest = Static<typeof CreateKeyRequest>

export const KeyParams = Type.Object({ id: Type.String() })
export type KeyParams = Static<typeof KeyParams>

export const ListKeysResponse = Type.Object({ keys: Type.Array(Key) })
export const CreateKeyResponse = Type.Object({ key: CreatedKey })
