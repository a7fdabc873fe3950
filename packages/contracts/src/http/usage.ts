import { type Static, Type } from 'typebox'
import {
  describeCounter,
  type ShownCounter,
  shownCounters,
  type UsageCounter,
  usageCounters
} from '../meters/meters.ts'
import { refusalReasons, refusedMembers } from '../requests/refusal-reasons.ts'
import { described } from './described.ts'
import { patterns } from './patterns.ts'

const closed = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0 })
const Instant = Type.String({ format: 'date-time' })
/** Exact US dollars, with 2 to 9 decimals. */
const Usd = Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })

export const UsageInterval = described(
  'The length of a bucket. Days and months are in UTC.',
  Type.Enum(['hour', 'day', 'month'])
)
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
    from: described('Rounded down to the hour; default 30 days before `to`.', Type.Optional(Instant)),
    to: described('Rounded up to the hour; default now.', Type.Optional(Instant)),
    interval: described('Default `day`. Days and months are in UTC.', Type.Optional(UsageInterval)),
    group_by: described(
      'Default `none`. `member`: by who created the key. `metadata.<name>`: by the metadata that the key has now.',
      Type.Optional(UsageGrouping)
    ),
    key: described(
      'Only the usage of the key with this id.',
      Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
    ),
    model: described('Only the usage of this model.', Type.Optional(Type.String({ minLength: 1, maxLength: 500 }))),
    top: described(
      '1 to 100: only the largest groups stay separate; the others become one group. Default: all groups.',
      Type.Optional(Type.String({ pattern: patterns.upTo100 }))
    )
  },
  closed
)
export type UsageQuery = Static<typeof UsageQuery>

/** Which group a bucket belongs to. */
const group = {
  model: described('With `group_by=model`.', Type.Optional(Type.String())),
  key_id: described('With `group_by=key`.', Type.Optional(Type.String())),
  member_id: described(
    'With `group_by=member`: id of the user who created the key; null if that user was deleted.',
    Type.Optional(Type.Union([Type.String(), Type.Null()]))
  ),
  metadata_value: described(
    "With `group_by=metadata.<name>`: the key's value; null for keys without it.",
    Type.Optional(Type.Union([Type.String(), Type.Null()]))
  ),
  others: described(
    'With `top`: this bucket has the smaller groups together, and none of the members above.',
    Type.Optional(Type.Literal(true))
  )
}

/** The members of an answer that are counters. */
export const countMembers = <Counter extends UsageCounter>(counters: readonly Counter[]) =>
  Object.fromEntries(
    counters.map((counter) => [
      usageCounters[counter],
      Type.Integer({ minimum: 0, description: describeCounter(counter) })
    ])
  ) as Record<(typeof usageCounters)[Counter], typeof Count>

export const UsageBucket = Type.Object({
  start: described('When the hour, day or month begins.', Instant),
  ...group,
  ...countMembers<ShownCounter>(shownCounters),
  cost_usd: described('US dollars that these requests were charged.', Usd)
})
export type UsageBucket = Static<typeof UsageBucket>

/** A key with its label, even after it was revoked. */
export const UsageKey = Type.Object({
  id: described('The id of the key.', Type.String()),
  label: described('The name of the key for people.', Type.String()),
  prefix: described('The beginning of its secret, because labels may be equal.', Type.String())
})
export type UsageKey = Static<typeof UsageKey>

/** A user who created keys, even after they left the team. */
export const UsageMember = Type.Object({
  id: described('The id of the user.', Type.String()),
  name: described('How the user is called.', Type.String())
})
export type UsageMember = Static<typeof UsageMember>

const names = {
  keys: described('With `group_by=key`: each key that has a bucket.', Type.Optional(Type.Array(UsageKey))),
  members: described('With `group_by=member`: each member who has a bucket.', Type.Optional(Type.Array(UsageMember)))
}

/** A correction by an operator: it counts as spend of its month. */
export const Adjustment = Type.Object({
  id: described('The id of the correction.', Type.String({ format: 'uuid' })),
  at: described('When the operator made it.', Instant),
  month: described('The month (UTC) that it belongs to, such as `2026-11`.', Type.String()),
  amount_usd: described(
    'Exact US dollars. Above zero: charged. Below zero: credited.',
    Type.String({ pattern: '^-?(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })
  ),
  reason: described('Why.', Type.String())
})
export type Adjustment = Static<typeof Adjustment>

const range = {
  from: described('Where the range begins; a whole hour.', Instant),
  to: described('Where the range ends; a whole hour.', Instant),
  interval: UsageInterval,
  group_by: described('What the buckets are grouped by.', UsageGrouping)
}

export const UsageResponse = Type.Object({
  ...range,
  buckets: described('In order of time. Times without usage have no bucket.', Type.Array(UsageBucket)),
  ...names,
  adjustments: described(
    'Corrections in the months of the range, newest first. They are not part of the buckets. Absent if there are none.',
    Type.Optional(Type.Array(Adjustment))
  )
})
export type UsageResponse = Static<typeof UsageResponse>

/** Whole milliseconds that half of the requests, and 95 % of them, did not exceed. */
const Percentiles = Type.Object({
  p50: described('Half of the requests took at most this.', Count),
  p95: described('95 % of the requests took at most this.', Count)
})

const latency = {
  ...group,
  requests: described('How many requests were measured.', Count),
  first_byte_ms: described('From the arrival of the request to the first byte of the answer.', Percentiles),
  duration_ms: described('From the arrival of the request to the end of the answer.', Percentiles)
}

export const LatencyTotal = Type.Object(latency)
export type LatencyTotal = Static<typeof LatencyTotal>
export const LatencyBucket = Type.Object({
  start: described('When the hour, day or month begins.', Instant),
  ...latency
})
export type LatencyBucket = Static<typeof LatencyBucket>

/** How long successful requests took. Days that the request log no longer keeps have no bucket. */
export const UsageLatencyResponse = Type.Object({
  ...range,
  sampled: described(
    'True if the range has too many requests to measure all: these numbers come from a sample, spread evenly over the range.',
    Type.Boolean()
  ),
  buckets: described('In order of time.', Type.Array(LatencyBucket)),
  totals: described(
    'Each group over the whole range, the one with the most measured requests first.',
    Type.Array(LatencyTotal)
  ),
  ...names
})
export type UsageLatencyResponse = Static<typeof UsageLatencyResponse>

const { from, to, interval, key } = UsageQuery.properties
export const UsageRefusalsQuery = Type.Object({ from, to, interval, key }, closed)
export type UsageRefusalsQuery = Static<typeof UsageRefusalsQuery>

/** Why requests were refused. */
const refusal = {
  key_id: described('The key that was refused.', Type.String()),
  code: described('The code of the error that clients got.', Type.String()),
  reason: described('`budget`: 402. `rate`: 429. The others: 403.', Type.Enum([...refusalReasons]))
}

export const RefusalBucket = Type.Object({
  start: described('When the hour, day or month begins.', Instant),
  ...refusal,
  requests: described('How many requests.', Count)
})
export type RefusalBucket = Static<typeof RefusalBucket>

/** A key that refuses requests now. The amounts are those of the smallest refused request. */
export const OpenRefusal = Type.Object({
  ...refusal,
  since: described('The first refusal.', Instant),
  last_at: described('The last refusal.', Instant),
  requests: described('How many since then.', Count),
  model: described('The model of the last refused request.', Type.Union([Type.String(), Type.Null()])),
  ...refusedMembers
})
export type OpenRefusal = Static<typeof OpenRefusal>

/** Requests that were refused with 402, 403 or 429. */
export const UsageRefusalsResponse = Type.Object({
  from: range.from,
  to: range.to,
  interval: UsageInterval,
  buckets: described('In order of time.', Type.Array(RefusalBucket)),
  open: described(
    'Keys that refuse requests now, the latest refusal first. At most 100, whatever the range.',
    Type.Array(OpenRefusal)
  ),
  keys: described('The names of all these keys.', Type.Array(UsageKey))
})
export type UsageRefusalsResponse = Static<typeof UsageRefusalsResponse>

export const UsageSummaryResponse = Type.Object({
  from: described('When the month began, UTC.', Instant),
  spent_usd: described(
    'Spend so far, with adjustments. While Redis is unavailable, the spend that control has copied.',
    Usd
  ),
  reserved_usd: described('Reserved for running requests; `0.00` while Redis is unavailable.', Usd),
  today_usd: described('Spend since midnight (UTC), without adjustments. At most five seconds behind.', Usd),
  forecast_usd: described(
    'The spend of the whole month at the pace of the last seven complete days; null with fewer than three days of usage. Notices use the same forecast.',
    Type.Union([Usd, Type.Null()])
  ),
  cap_usd: described('The monthly budget.', Usd),
  resets_at: described('When the next month begins.', Instant)
})
export type UsageSummaryResponse = Static<typeof UsageSummaryResponse>
