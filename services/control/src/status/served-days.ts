import type { DayHistory } from '@tollgate/contracts/http/status.ts'
import { type Counts, minPerDay, requestsOf, stateOf, sumCounts, uptimeOf } from './success-rule.ts'

/** Days that are shown, the present one included. */
export const shownDays = 90
const dayMs = 86_400_000
const hoursPerDay = 24

/** By the catalog's name of the model. */
export type CountsByModel = ReadonlyMap<string, Counts>

/** What PostgreSQL keeps of past hours. */
export interface ServedHistory {
  /** The number of an hour. Earlier hours are added up in `days`, and `hours` has the others. */
  readonly recentFrom: number
  readonly days: ReadonlyMap<number, CountsByModel>
  readonly hours: ReadonlyMap<number, CountsByModel>
}

/** The number of the day (UTC) that has a time. @param at ms since the epoch */
export const dayOf = (at: number): number => Math.floor(at / dayMs)

/** @returns `2027-03-01` */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/**
 * Adds up the hours of each day. An hour that both have counts once, with the larger counts: gateways may have reported
 * more to Redis since it was copied, and Redis may have lost what was copied.
 *
 * @param measured the hours that Redis has, by number
 * @param today the number of the present day
 * @returns the last {@link shownDays} days, the oldest first
 */
export function foldDays(
  { recentFrom, days, hours }: ServedHistory,
  measured: ReadonlyMap<number, CountsByModel>,
  today: number
): CountsByModel[] {
  const folded = Array.from({ length: shownDays }, () => new Map<string, Counts>())
  function add(day: number, counts: CountsByModel): void {
    const sums = folded[day - today + shownDays - 1]
    if (sums === undefined) return
    for (const [model, more] of counts) sums.set(model, sumCounts([sums.get(model) ?? none, more]))
  }
  for (const [day, counts] of days) add(day, counts)
  for (const hour of new Set([...hours.keys(), ...measured.keys()])) {
    if (hour < recentFrom) continue
    add(Math.floor(hour / hoursPerDay), largerOf(hours.get(hour), measured.get(hour)))
  }
  return folded
}

const none: Counts = { successes: 0, failures: 0 }

function largerOf(one: CountsByModel = new Map(), other: CountsByModel = new Map()): CountsByModel {
  const larger = new Map(one)
  for (const [model, counts] of other) {
    const { successes, failures } = one.get(model) ?? none
    larger.set(model, {
      successes: Math.max(successes, counts.successes),
      failures: Math.max(failures, counts.failures)
    })
  }
  return larger
}

/** What everybody may know about days: states and shares. @param days the oldest first */
export function describeDays(days: readonly Counts[]): DayHistory {
  return {
    days: days.map((day) => stateOf(day, minPerDay)),
    day_uptimes: days.map(uptimeOf),
    uptime_30_days: uptimeOf(sumCounts(days.slice(-30))),
    uptime_90_days: uptimeOf(sumCounts(days))
  }
}

/** The index of the first day with any request; -1 for none. */
export const firstMeasured = (days: readonly Counts[]): number => days.findIndex((day) => requestsOf(day) > 0)
