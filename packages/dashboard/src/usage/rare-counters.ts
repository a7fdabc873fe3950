import type { RareCounter } from '@tollgate/contracts/usage/usage-counters.ts'
import { usageCounters } from '@tollgate/contracts/usage/usage-counters.ts'
import { formatCompact } from '../format/number.ts'
import type { Bucket } from './sum-usage.ts'

/** What the counters are called that are 0 for most requests. */
export const rareNames: Readonly<Record<RareCounter, string>> = {
  cacheWriteTokens: 'Cache writes',
  longCacheWriteTokens: 'Long cache writes',
  audioInputTokens: 'Audio input',
  imageInputTokens: 'Image input',
  audioOutputTokens: 'Audio output',
  imageOutputTokens: 'Image output',
  toolCalls: 'Tool calls'
}

/**
 * Describes the rare counters of each bar that are not 0: `Cache writes 1,200 · Tool calls 3`.
 *
 * @param starts the start of each bar, from `bucketStarts`
 */
export function describeRareCounters(buckets: readonly Bucket[], starts: readonly string[]): string[] {
  const byStart = Map.groupBy(buckets, ({ start }) => new Date(start).toISOString())
  return starts.map((start) => {
    const own = byStart.get(start) ?? []
    return (Object.keys(rareNames) as RareCounter[])
      .map((counter) => [counter, own.reduce((sum, bucket) => sum + bucket[usageCounters[counter]], 0)] as const)
      .filter(([, sum]) => sum > 0)
      .map(([counter, sum]) => `${rareNames[counter]} ${formatCompact(sum)}`)
      .join(' · ')
  })
}
