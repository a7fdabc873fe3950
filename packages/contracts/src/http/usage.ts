import { type Static, Type } from 'typebox'
import { describePart, type ShownCounter, shownCounters, type UsageCounter, usageCounters } from '../meters/meters.ts'
import { refusalReasons, refusedMembers } from '../requests/refusal-reasons.ts'
import { patterns } from './patterns.ts'

const closed = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0 })
const Instant = Type.String({ format: 'date-time' })
/** Exact US dollars, with 2 to 9 decimals. */
const Usd = Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })

export const UsageInterval = Type.Enum(['hour', 'day', 'month'])
export type UsageInterval = Static<typeof UsageInterval>
/**
 * `member`: by the user who created the key. `metadata.<name>`: by this pair of the key's metadata, as the key has it
 * now, such as `metadata.tenant`.
 */
export const UsageGrouping = Type.Unsafe<'model' | 'key' | 'member' | 'none' | `metadata.${string}`>(
  Type.String({ pattern: patterns.usageGroup })
)
export type UsageGrouping = Static<typeof UsageGrouping>

export const UsageQuery = Type.Object(
  {
    /** Rounded down to the hour; default 30 days before `to`. */
    from: Type.Optional(Instant),
    /** Rounded up to the hour; default now. */
    to: Type.Optional(Instant),
    /** Default `day`. Days and months are in UTC. */
    interval: Type.Optional(UsageInterval),
    /** Default `none`. `member`: by who created the key. `metadata.<name>`: by the metadata that the key has now. */
    group_by: Type.Optional(UsageGrouping),
    /** Only the usage of the key with this id. */
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    /** Only the usage of this model. */
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    /** 1 to 100: only the largest groups stay separate; the others become one group. Default: all groups. */
    top: Type.Optional(Type.String({ pattern: patterns.upTo100 }))
  },
  closed
)
export type UsageQuery = Static<typeof UsageQuery>

/** Which group a bucket belongs to. */
const group = {
  /** With `group_by=model`. */
  model: Type.Optional(Type.String()),
  /** With `group_by=key`. */
  key_id: Type.Optional(Type.String()),
  /** With `group_by=member`: id of the user who created the key; null if that user was deleted. */
  member_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** With `group_by=metadata.<name>`: the key's value; null for keys without it. */
  metadata_value: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** With `top`: this bucket has the smaller groups together, and none of the members above. */
  others: Type.Optional(Type.Literal(true))
}

/** The members of an answer that are counters. */
export const countMembers = <Counter extends UsageCounter>(counters: readonly Counter[]) =>
  Object.fromEntries(
    counters.map((counter) => {
      const description = describePart(counter)
      return [usageCounters[counter], Type.Integer({ minimum: 0, ...(description !== null && { description }) })]
    })
  ) as Record<(typeof usageCounters)[Counter], typeof Count>

export const UsageBucket = Type.Object({
  /** When the hour, day or month begins. */
  start: Instant,
  ...group,
  ...countMembers<ShownCounter>(shownCounters),
  cost_usd: Usd
})
export type UsageBucket = Static<typeof UsageBucket>

/** A key with its label, even after it was revoked. */
export const UsageKey = Type.Object({
  id: Type.String(),
  label: Type.String(),
  /** The beginning of its secret, because labels may be equal. */
  prefix: Type.String()
})
export type UsageKey = Static<typeof UsageKey>

/** A user who created keys, even after they left the team. */
export const UsageMember = Type.Object({ id: Type.String(), name: Type.String() })
export type UsageMember = Static<typeof UsageMember>

const names = {
  /** With `group_by=key`: each key that has a bucket. */
  keys: Type.Optional(Type.Array(UsageKey)),
  /** With `group_by=member`: each member who has a bucket. */
  members: Type.Optional(Type.Array(UsageMember))
}

/** A correction by an operator: it counts as spend of its month. */
export const Adjustment = Type.Object({
  id: Type.String({ format: 'uuid' }),
  at: Instant,
  /** The month (UTC) that it belongs to, such as `2026-11`. */
  month: Type.String(),
  /** Exact US dollars. Above zero: charged. Below zero: credited. */
  amount_usd: Type.String({ pattern: '^-?(0|[1-9][0-9]*)\\.[0-9]{2,9}$' }),
  reason: Type.String()
})
export type Adjustment = Static<typeof Adjustment>

const range = { from: Instant, to: Instant, interval: UsageInterval, group_by: UsageGrouping }

export const UsageResponse = Type.Object({
  ...range,
  /** In order of time. Times without usage have no bucket. */
  buckets: Type.Array(UsageBucket),
  ...names,
  /**
   * Corrections in the months of the range, newest first. They are not part of the buckets. Absent if there are none.
   */
  adjustments: Type.Optional(Type.Array(Adjustment))
})
export type UsageResponse = Static<typeof UsageResponse>

/** Whole milliseconds that half of the requests, and 95 % of them, did not exceed. */
const Percentiles = Type.Object({ p50: Count, p95: Count })

const latency = {
  ...group,
  /** How many requests were measured. */
  requests: Count,
  /** From the arrival of the request to the first byte of the answer. */
  first_byte_ms: Percentiles,
  /** From the arrival of the request to the end of the answer. */
  duration_ms: Percentiles
}

export const LatencyTotal = Type.Object(latency)
export type LatencyTotal = Static<typeof LatencyTotal>
export const LatencyBucket = Type.Object({
  /** When the hour, day or month begins. */
  start: Instant,
  ...latency
})
export type LatencyBucket = Static<typeof LatencyBucket>

/** How long successful requests took. Days that the request log no longer keeps have no bucket. */
export const UsageLatencyResponse = Type.Object({
  ...range,
  /**
   * True if the range has too many requests to measure all: these numbers come from a sample, spread evenly over the
   * range.
   */
  sampled: Type.Boolean(),
  /** In order of time. */
  buckets: Type.Array(LatencyBucket),
  /** Each group over the whole range, the one with the most measured requests first. */
  totals: Type.Array(LatencyTotal),
  ...names
})
export type UsageLatencyResponse = Static<typeof UsageLatencyResponse>

const { from, to, interval, key } = UsageQuery.properties
export const UsageRefusalsQuery = Type.Object({ from, to, interval, key }, closed)
export type UsageRefusalsQuery = Static<typeof UsageRefusalsQuery>

/** Why requests were refused. */
const refusal = {
  key_id: Type.String(),
  /** The code of the error that clients got. */
  code: Type.String(),
  /** `budget`: 402. `rate`: 429. The others: 403. */
  reason: Type.Enum([...refusalReasons])
}

export const RefusalBucket = Type.Object({
  /** When the hour, day or month begins. */
  start: Instant,
  ...refusal,
  /** How many requests. */
  requests: Count
})
export type RefusalBucket = Static<typeof RefusalBucket>

/** A key that refuses requests now. The amounts are those of the smallest refused request. */
export const OpenRefusal = Type.Object({
  ...refusal,
  /** The first and the last refusal. */
  since: Instant,
  last_at: Instant,
  /** How many since then. */
  requests: Count,
  /** The model of the last refused request. */
  model: Type.Union([Type.String(), Type.Null()]),
  ...refusedMembers
})
export type OpenRefusal = Static<typeof OpenRefusal>

/** Requests that were refused with 402, 403 or 429. */
export const UsageRefusalsResponse = Type.Object({
  from: Instant,
  to: Instant,
  interval: UsageInterval,
  /** In order of time. */
  buckets: Type.Array(RefusalBucket),
  /** Keys that refuse requests now, the latest refusal first. At most 100, whatever the range. */
  open: Type.Array(OpenRefusal),
  /** The names of all these keys. */
  keys: Type.Array(UsageKey)
})
export type UsageRefusalsResponse = Static<typeof UsageRefusalsResponse>

export const UsageSummaryResponse = Type.Object({
  /** When the month began, UTC. */
  from: Instant,
  /** Spend so far, with adjustments. While Redis is unavailable, the spend that control has copied. */
  spent_usd: Usd,
  /** Reserved for running requests; `0.00` while Redis is unavailable. */
  reserved_usd: Usd,
  /** Spend since midnight (UTC), without adjustments. At most five seconds behind. */
  today_usd: Usd,
  /**
   * The spend of the whole month at the pace of the last seven complete days; null with fewer than three days of usage.
   * Notices use the same forecast.
   */
  forecast_usd: Type.Union([Usd, Type.Null()]),
  /** The monthly budget. */
  cap_usd: Usd,
  /** When the next month begins. */
  resets_at: Instant
})
export type UsageSummaryResponse = Static<typeof UsageSummaryResponse>
