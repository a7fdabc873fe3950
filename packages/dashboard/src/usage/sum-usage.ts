import { type ShownCounter, shownCounters, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import type { Answer } from '../api/call.ts'
import type { Interval } from './usage-range.ts'

export type Bucket = Answer<'getUsage'>['buckets'][number]

/** The usage of several buckets. */
export interface Sums extends Readonly<Record<ShownCounter, number>> {
  readonly costUsd: number
}

const sumCounters = (sumOf: (counter: ShownCounter) => number) =>
  Object.fromEntries(shownCounters.map((counter) => [counter, sumOf(counter)])) as Record<ShownCounter, number>

export const nothing: Sums = { ...sumCounters(() => 0), costUsd: 0 }

/** Adds up buckets for display. Dollars are added as floating-point numbers, exact to far less than a cent. */
export function sumUsage(buckets: readonly Bucket[]): Sums {
  return buckets.reduce(
    (sums, bucket) => ({
      ...sumCounters((counter) => sums[counter] + bucket[usageCounters[counter]]),
      costUsd: sums.costUsd + Number(bucket.cost_usd)
    }),
    nothing
  )
}

/** The sums of each group, the highest cost first. */
export function sumByGroup(
  buckets: readonly Bucket[],
  groupOf: (bucket: Bucket) => string
): Array<{ readonly group: string; readonly sums: Sums }> {
  const groups = Map.groupBy(buckets, groupOf)
  return [...groups]
    .map(([group, own]) => ({ group, sums: sumUsage(own) }))
    .sort((a, b) => b.sums.costUsd - a.sums.costUsd || b.sums.requests - a.sums.requests)
}

const hourMs = 3_600_000
const stepMs = { hour: hourMs, day: 24 * hourMs } as const

/**
 * The starts of all UTC hours, days or months that a range overlaps, including those without usage.
 *
 * @param from inclusive
 * @param to exclusive
 */
export function bucketStarts(from: Date, to: Date, interval: Interval): string[] {
  const starts: string[] = []
  const first =
    interval === 'month' ? Date.UTC(from.getUTCFullYear(), from.getUTCMonth()) : floorTo(from, stepMs[interval])
  for (let at = first; at < to.getTime(); at = nextStart(at, interval)) starts.push(new Date(at).toISOString())
  return starts
}

const floorTo = (time: Date, step: number): number => Math.floor(time.getTime() / step) * step

function nextStart(at: number, interval: Interval): number {
  if (interval !== 'month') return at + stepMs[interval]
  const start = new Date(at)
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)
}
