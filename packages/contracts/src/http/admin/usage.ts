import { type Static, Type } from 'typebox'
import { type ShownCount, shownCounts } from '../../meters/meters.ts'
import { AccountId, closed, SignedUsd } from './adjustments.ts'

/** A day in UTC, such as `2026-11-23`. */
export const Day = Type.String({ format: 'date', pattern: '^20[0-9]{2}-' })

/** What rows of the export are grouped by, in the order of their columns. */
export const exportGroups = ['account', 'day', 'key', 'model', 'upstream'] as const
export type ExportGroup = (typeof exportGroups)[number]

const group = `(${exportGroups.join('|')})`

export const ExportUsageQuery = Type.Object(
  {
    /** The first day. Default: the first day of this month. */
    from: Type.Optional(Day),
    /** The last day; it is included. Default: today. */
    to: Type.Optional(Day),
    /** Only usage of this account. */
    account: Type.Optional(AccountId),
    /** Names with commas: `account`, `day`, `key`, `model`, `upstream`. Default: all. */
    group: Type.Optional(Type.String({ maxLength: 100, pattern: `^${group}(,${group})*$` })),
    /** Default: `ndjson`, one JSON object in each line. */
    format: Type.Optional(Type.Enum(['ndjson', 'csv']))
  },
  closed
)
export type ExportUsageQuery = Static<typeof ExportUsageQuery>

const counts = Object.fromEntries(shownCounts.map((count) => [count, Type.Integer()])) as Record<
  ShownCount,
  ReturnType<typeof Type.Integer>
>

/** A row of the export. It has only the members that the rows are grouped by, and all counters. */
export const ExportedUsage = Type.Object(
  {
    account_id: Type.Optional(AccountId),
    day: Type.Optional(Day),
    key_id: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    /** Empty: not known. */
    upstream: Type.Optional(Type.String()),
    ...counts,
    /** Requests whose tokens or cost are estimated. */
    estimated_requests: Type.Integer(),
    /** What accounts pay for it. */
    cost_usd: SignedUsd,
    /** What providers bill for it. */
    provider_cost_usd: SignedUsd,
    /** The first minus the second. */
    margin_usd: SignedUsd
  },
  closed
)
export type ExportedUsage = Static<typeof ExportedUsage>
/** The counters of a row that are whole numbers. */
export const exportedCounts = [...shownCounts, 'estimated_requests'] as const satisfies ReadonlyArray<
  keyof ExportedUsage
>
