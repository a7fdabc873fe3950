import { counterNames, isRare, meters, ownCount, pricedRows, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import type { Series } from '../charts/series.ts'
import { formatCompact } from '../format/number.ts'
import type { Bucket } from './sum-usage.ts'

/**
 * Kinds of tokens that do not overlap: together they are all tokens. The counters overlap, because cached input is part
 * of the input, and reasoning is part of the output. Rare kinds come last.
 */
const ofTokens = pricedRows.filter(({ unit }) => unit === 'token')
const kinds = [
  ...ofTokens.filter(({ counter }) => !isRare(counter)),
  ...ofTokens.filter(({ counter }) => isRare(counter))
]

/** The tokens of each bar by kind, over all groups. Kinds without tokens have no series. */
export function stackTokenKinds(buckets: readonly Bucket[], starts: readonly string[]): Series[] {
  const byStart = Map.groupBy(buckets, ({ start }) => new Date(start).toISOString())
  return kinds
    .map((kind) => ({
      id: kind.kind,
      name: kind.name,
      // A correction may be counted before the request that it corrects, so a difference can be below zero for a
      // moment.
      values: starts.map((start) =>
        Math.max(
          0,
          (byStart.get(start) ?? []).reduce((sum, bucket) => sum + ownCount(kind, bucket), 0)
        )
      )
    }))
    .filter(({ values }) => values.some((value) => value > 0))
}

/**
 * Describes the rare counters of each bar that are not 0: `Cache write 1,200 · Tool calls 3`.
 *
 * @param starts the start of each bar, from `bucketStarts`
 */
export function describeRareCounters(buckets: readonly Bucket[], starts: readonly string[]): string[] {
  const byStart = Map.groupBy(buckets, ({ start }) => new Date(start).toISOString())
  return starts.map((start) => {
    const own = byStart.get(start) ?? []
    return meters
      .filter(isRare)
      .map((counter) => [counter, own.reduce((sum, bucket) => sum + bucket[usageCounters[counter]], 0)] as const)
      .filter(([, sum]) => sum > 0)
      .map(([counter, sum]) => `${counterNames[counter]} ${formatCompact(sum)}`)
      .join(' · ')
  })
}
