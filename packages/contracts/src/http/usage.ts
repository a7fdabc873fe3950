import { type Static, Type } from 'typebox'
import { type ShownCount, shownCounts } from '../usage/usage-counters.ts'

const closed = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0 })
const Instant = Type.String({ format: 'date-time' })
/** Exact US dollars, with 2 to 9 decimals. */
const Usd = Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })

export const UsageInterval = Type.Enum(['hour', 'day', 'month'])
export type UsageInterval = Static<typeof UsageInterval>
export const UsageGrouping = Type.Enum(['model', 'key', 'none'])
export type UsageGrouping = Static<typeof UsageGrouping>

export const UsageQuery = Type.Object(
  {
    /** Rounded down to the hour; default 30 days before `to`. */
    from: Type.Optional(Instant),
    /** Rounded up to the hour; default now. */
    to: Type.Optional(Instant),
    /** Default `day`. Days and months are in UTC. */
    interval: Type.Optional(UsageInterval),
    /** Default `none`. */
    group_by: Type.Optional(UsageGrouping)
  },
  closed
)
export type UsageQuery = Static<typeof UsageQuery>

const counts = Object.fromEntries(shownCounts.map((count) => [count, Count])) as Record<ShownCount, typeof Count>

export const UsageBucket = Type.Object({
  /** When the hour, day or month begins. */
  start: Instant,
  /** With `group_by=model`. */
  model: Type.Optional(Type.String()),
  /** With `group_by=key`. */
  key_id: Type.Optional(Type.String()),
  /**
   * `cached_tokens`, `cache_write_tokens`, `long_cache_write_tokens`, `audio_input_tokens` and `image_input_tokens` are part of
   * `prompt_tokens`. `reasoning_tokens`, `audio_output_tokens` and `image_output_tokens` are part of `completion_tokens`.
   */
  ...counts,
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

export const UsageResponse = Type.Object({
  from: Instant,
  to: Instant,
  interval: UsageInterval,
  group_by: UsageGrouping,
  /** In order of time. Times without usage have no bucket. */
  buckets: Type.Array(UsageBucket),
  /** With `group_by=key`: each key that has a bucket. */
  keys: Type.Optional(Type.Array(UsageKey)),
  /** Corrections in the months of the range, newest first. They are not part of the buckets. Absent if there are none. */
  adjustments: Type.Optional(Type.Array(Adjustment))
})
export type UsageResponse = Static<typeof UsageResponse>

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
   * The spend of the whole month at the pace of the last seven complete days; null with fewer than three days of usage. Notices
   * use the same forecast.
   */
  forecast_usd: Type.Union([Usd, Type.Null()]),
  /** The monthly budget. */
  cap_usd: Usd,
  /** When the next month begins. */
  resets_at: Instant
})
export type UsageSummaryResponse = Static<typeof UsageSummaryResponse>
