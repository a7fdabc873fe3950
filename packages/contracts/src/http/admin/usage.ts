import { type Static, Type } from 'typebox'
import { describeCounter, type ShownCount, shownCounters, shownCounts, usageCounters } from '../../meters/meters.ts'
import { described } from '../described.ts'
import { AccountId, closed, SignedUsd } from './adjustments.ts'

/** A day in UTC, such as `2026-11-23`. */
export const Day = Type.String({ format: 'date', pattern: '^20[0-9]{2}-' })

/** What rows of the export are grouped by, in the order of their columns. */
export const exportGroups = ['account', 'day', 'key', 'model', 'upstream'] as const
export type ExportGroup = (typeof exportGroups)[number]

const group = `(${exportGroups.join('|')})`

export const ExportUsageQuery = Type.Object(
  {
    from: described('The first day. Default: the first day of this month.', Type.Optional(Day)),
    to: described('The last day; it is included. Default: today.', Type.Optional(Day)),
    account: described('Only usage of this account.', Type.Optional(AccountId)),
    group: described(
      'Names with commas: `account`, `day`, `key`, `model`, `upstream`. Default: all.',
      Type.Optional(Type.String({ maxLength: 100, pattern: `^${group}(,${group})*$` }))
    ),
    format: described('Default: `ndjson`, one JSON object in each line.', Type.Optional(Type.Enum(['ndjson', 'csv'])))
  },
  closed
)
export type ExportUsageQuery = Static<typeof ExportUsageQuery>

const counts = Object.fromEntries(
  shownCounters.map((counter) => [usageCounters[counter], Type.Integer({ description: describeCounter(counter) })])
) as Record<ShownCount, ReturnType<typeof Type.Integer>>

/** A row of the export. It has only the members that the rows are grouped by, and all counters. */
export const ExportedUsage = Type.Object(
  {
    account_id: described('The account.', Type.Optional(AccountId)),
    day: described('The day in UTC.', Type.Optional(Day)),
    key_id: described('The key.', Type.Optional(Type.String())),
    model: described('The model.', Type.Optional(Type.String())),
    upstream: described('Empty: not known.', Type.Optional(Type.String())),
    ...counts,
    estimated_requests: described('Requests whose tokens or cost are estimated.', Type.Integer()),
    cost_usd: described('What accounts pay for it.', SignedUsd),
    provider_cost_usd: described('What providers bill for it.', SignedUsd),
    margin_usd: described('The first minus the second.', SignedUsd)
  },
  closed
)
export type ExportedUsage = Static<typeof ExportedUsage>
/** The counters of a row that are whole numbers. */
export const exportedCounts = [...shownCounts, 'estimated_requests'] as const satisfies ReadonlyArray<
  keyof ExportedUsage
>
