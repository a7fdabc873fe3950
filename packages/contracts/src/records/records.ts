import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { budgetWindows } from './budget-windows.ts'

/** Milliseconds since the epoch, compared only with Redis `TIME`. */
const Instant = Type.Integer({ minimum: 0 })
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

/**
 * `key:{kNN}:<digest>` leads from a secret to its key. It never changes, and expires an hour after its secret stopped
 * working.
 */
export const Pointer = Type.Object({
  key: Type.String(),
  account: Type.String(),
  scope: Type.Enum(['inference', 'management'])
})
export type Pointer = Static<typeof Pointer>

/** A budget with a window, besides the monthly ones. Its `id` names its counters in Redis. */
export const WindowBudget = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  window: Type.Enum([...budgetWindows]),
  nanos: Type.Integer({ minimum: 0 }),
  /** It counts requests to these models alone; absent for all. */
  models: Type.Optional(Type.Array(Type.String())),
  /** Of the account's budgets: it counts the keys that this person created; absent for all. */
  member: Type.Optional(Type.String())
})
export type WindowBudget = Static<typeof WindowBudget>

/** The data of a key that gateways need. */
export const KeyRecord = Type.Object({
  status: Type.Enum(['active', 'paused', 'revoked']),
  digest: Digest,
  /** After a rotation: the old secret, which works until its grace ends. */
  previous: Type.Union([Type.Object({ digest: Digest, until: Instant }), Type.Null()]),
  expiresAt: Type.Union([Instant, Type.Null()]),
  /** A subset of the plan's models, or null for all of them. */
  models: Type.Union([Type.Array(Type.String()), Type.Null()]),
  /** The key's budget for a calendar month, nanodollars; null if only the account's caps apply. */
  monthlyBudgetNanos: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  /** Below the plan's limit; null if only that applies. */
  requestsPerMinute: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** Below the plan's limit, within each minute of the clock. Absent if only that applies. */
  tokensPerMinute: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Below the plan's limit. Absent if only that applies. */
  concurrentRequests: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Further budgets of the key. */
  budgets: Type.Optional(Type.Array(WindowBudget)),
  /** The person who created it. Absent if nobody did, or in records of older releases. */
  member: Type.Optional(Type.String()),
  /** IP addresses and ranges from which it works. Absent if it works from everywhere. */
  addresses: Type.Optional(Type.Array(Type.String())),
  /** The model that serves a request which a budget refuses. Absent: it stays refused. */
  onExhausted: Type.Optional(Type.String()),
  /** Present if open requests end, too, when their secret stops working by a revocation or rotation. */
  cutStreams: Type.Optional(Type.Literal(true)),
  /** For `GET /v1/key`. Absent in records of older releases. */
  label: Type.Optional(Type.String())
})
export type KeyRecord = Static<typeof KeyRecord>

const Nanos = Type.Integer({ minimum: 0 })
const Rate = Type.Integer({ minimum: 1 })
/** When an override ends; null for never. */
const until = Type.Union([Instant, Type.Null()])

/** What an operator set instead of the plan, and instead of single limits or the price group of the plan. */
const Override = Type.Object({
  plan: Type.Optional(Type.Object({ id: Type.String(), until })),
  limits: Type.Optional(
    Type.Object({
      monthlyNanos: Type.Optional(Nanos),
      requestNanos: Type.Optional(Nanos),
      requestsPerMinute: Type.Optional(Rate),
      tokensPerMinute: Type.Optional(Rate),
      concurrentRequests: Type.Optional(Rate),
      priceGroup: Type.Optional(Type.String()),
      until
    })
  )
})

/** The free budget of the account's mailbox; see free-budget.ts. */
export const FreeBudget = Type.Object({
  /** Present if another account of the mailbox has it. */
  isElsewhere: Type.Optional(Type.Literal(true)),
  /** What deleted accounts of the mailbox spent in a month (yyyymm), nanodollars. */
  spent: Type.Optional(Type.Object({ month: Type.Integer(), nanos: Nanos }))
})
export type FreeBudget = Static<typeof FreeBudget>

/** The data of the paying account that admission needs. */
export const AccountRecord = Type.Object({
  /** Without an operator's override. */
  plan: Type.String(),
  status: Type.Enum(['active', 'suspended']),
  /** Present if the account is suspended only because its owner has a seat in a team. */
  isOwnerInTeam: Type.Optional(Type.Literal(true)),
  /** The owner's own monthly cap, nanodollars; null without one. The plan's cap applies too. */
  ownCapNanos: Type.Union([Nanos, Type.Null()]),
  override: Type.Optional(Override),
  /** Sum of the operators' adjustments in a month (yyyymm), nanodollars: it counts as spend, and may be below zero. */
  adjusted: Type.Optional(Type.Object({ month: Type.Integer(), nanos: Type.Integer() })),
  /** Further budgets of the account and of its members. */
  budgets: Type.Optional(Type.Array(WindowBudget)),
  /** Absent if the account has all of its mailbox's free budget. */
  freeBudget: Type.Optional(FreeBudget)
})
export type AccountRecord = Static<typeof AccountRecord>

const pointer = Compile(Pointer)
const keyRecord = Compile(KeyRecord)
const accountRecord = Compile(AccountRecord)

/** Each reader throws for JSON that this release would not write: a 503 is better than a guess. */
export const readPointer = (json: string): Pointer => pointer.Parse(JSON.parse(json))
export const readKeyRecord = (json: string): KeyRecord => keyRecord.Parse(JSON.parse(json))
export const readAccountRecord = (json: string): AccountRecord => accountRecord.Parse(JSON.parse(json))
