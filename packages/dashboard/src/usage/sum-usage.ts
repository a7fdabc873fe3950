import { type ShownCounter, shownCounters, usageCounters } from '@tollgate/contracts/usage/usage-counters.ts'
import type { Answer } from '../api/call.ts'

export type Bucket = Answer<'getUsage'>['buckets'][number]

/** What was used, over some buckets. */
export interface Sums extends Readonly<Record<ShownCounter, number>> {
  readonly costUsd: number
}

const sumCounters = (sumOf: (counter: ShownCounter) => number) =>
  Object.fromEntries(shownCounters.map((counter) => [counter, sumOf(counter)])) as Record<ShownCounter, number>

export const nothing: Sums = { ...sumCounters(() => 0), costUsd: 0 }

/** For showing: dollars are added as numbers, which is exact to far less than a cent. */
export function sumUsage(buckets: readonly Bucket[]): Sums {
  return buckets.reduce(
    (sums, bucket) => ({
      ...sumCounters((counter) => sums[counter] + bucket[usageCounters[counter]]),
      costUsd: sums.costUsd + Number(bucket.cost_usd)
    }),
    nothing
  )
}

/** The sums of each group, what cost most first. */
export function sumByGroup(
  buckets: readonly Bucket[],
  groupOf: (bucket: Bucket) => string
): Array<{ readonly group: string; readonly sums: Sums }> {
  const groups = Map.groupBy(buckets, groupOf)
  return [...groups]
    .map(([group, own]) => ({ group, sums: sumUsage(own) }))
    .sort((one, other) => other.sums.costUsd - one.sums.costUsd || other.sums.requests - one.sums.requests)
}

const hourMs = 3_600_000
const stepMs = { hour: hourMs, day: 24 * hourMs } as const

/**
 * The beginnings of all hours or days (UTC) that a range touches, whether something was used in them or not.
 *
 * @param from inclusive
 * @param to exclusive
 */
export function startsBetween(from: Date, to: Date, interval: keyof typeof stepMs): string[] {
  const step = stepMs[interval]
  const starts: string[] = []
  for (let at = Math.floor(from.getTime() / step) * step; at < to.getTime(); at += step) {
    starts.push(new Date(at).toISOString())
  }
  return starts
}
