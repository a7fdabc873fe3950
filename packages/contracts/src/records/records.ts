import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** Milliseconds since the epoch, judged against Redis `TIME` only. */
const Instant = Type.Integer({ minimum: 0 })
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** `key:{kNN}:<digest>`: where the key of a secret is found. It never changes; it goes an hour after its secret died. */
export const Pointer = Type.Object({
  key: Type.String(),
  account: Type.String(),
  scope: Type.Enum(['inference', 'management'])
})
export type Pointer = Static<typeof Pointer>

/** What admission needs to know of a key. */
export const KeyRecord = Type.Object({
  status: Type.Enum(['active', 'revoked']),
  digest: Digest,
  /** After a rotation: the secret before it, which works until its grace ends. */
  previous: Type.Union([Type.Object({ digest: Digest, until: Instant }), Type.Null()]),
  expiresAt: Type.Union([Instant, Type.Null()]),
  /** A subset of the plan's models, or null for all of them. */
  models: Type.Union([Type.Array(Type.String()), Type.Null()]),
  /** What the key may spend in a calendar month, nanodollars; null if only the account's caps count. */
  monthlyBudgetNanos: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  /** Below the plan's; null if only that counts. */
  requestsPerMinute: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])
})
export type KeyRecord = Static<typeof KeyRecord>

/** What admission needs to know of the account that pays. */
export const AccountRecord = Type.Object({
  plan: Type.String(),
  status: Type.Enum(['active', 'suspended']),
  /** Present if the account is suspended only because its owner has a seat in a team. Older gateways ignore it. */
  isOwnerInTeam: Type.Optional(Type.Literal(true)),
  /** The owner's own monthly cap in nanodollars, which only counts below the plan's; null if there is none. */
  ownCapNanos: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])
})
export type AccountRecord = Static<typeof AccountRecord>

const pointer = Compile(Pointer)
const keyRecord = Compile(KeyRecord)
const accountRecord = Compile(AccountRecord)

/** Each reader takes the stored JSON and throws if it is not what this release writes: better 503 than a guess. */
export const readPointer = (json: string): Pointer => pointer.Parse(JSON.parse(json))
export const readKeyRecord = (json: string): KeyRecord => keyRecord.Parse(JSON.parse(json))
export const readAccountRecord = (json: string): AccountRecord => accountRecord.Parse(JSON.parse(json))
