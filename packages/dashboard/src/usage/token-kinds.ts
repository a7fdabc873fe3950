import { type RareCounter, usageCounters } from '@tollgate/contracts/usage/usage-counters.ts'
import type { Series } from '../charts/series.ts'
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

type Kind = readonly [id: string, name: string, tokens: (bucket: Bucket) => number]

/**
 * Kinds of tokens that do not overlap: together they are all tokens. The counters overlap, because cached input is part
 * of the input, and reasoning is part of the output.
 */
const kinds: readonly Kind[] = [
  [
    'input',
    'Input',
    (bucket) =>
      bucket.prompt_tokens -
      bucket.cached_tokens -
      bucket.cache_write_tokens -
      bucket.long_cache_write_tokens -
      bucket.audio_input_tokens -
      bucket.image_input_tokens
  ],
  ['cached', 'Cached input', (bucket) => bucket.cached_tokens],
  [
    'output',
    'Output',
    (bucket) =>
      bucket.completion_tokens - bucket.reasoning_tokens - bucket.audio_output_tokens - bucket.image_output_tokens
  ],
  ['reasoning', 'Reasoning', (bucket) => bucket.reasoning_tokens],
  ['cache-write', rareNames.cacheWriteTokens, (bucket) => bucket.cache_write_tokens],
  ['long-cache-write', rareNames.longCacheWriteTokens, (bucket) => bucket.long_cache_write_tokens],
  ['audio-input', rareNames.audioInputTokens, (bucket) => bucket.audio_input_tokens],
  ['image-input', rareNames.imageInputTokens, (bucket) => bucket.image_input_tokens],
  ['audio-output', rareNames.audioOutputTokens, (bucket) => bucket.audio_output_tokens],
  ['image-output', rareNames.imageOutputTokens, (bucket) => bucket.image_output_tokens]
]

/** The tokens of each bar by kind, over all groups. Kinds without tokens have no series. */
export function stackTokenKinds(buckets: readonly Bucket[], starts: readonly string[]): Series[] {
  const byStart = Map.groupBy(buckets, ({ start }) => new Date(start).toISOString())
  return kinds
    .map(([id, name, tokens]) => ({
      id,
      name,
      // A correction may be counted before the request that it corrects, so a difference can be below zero for a
      // moment.
      values: starts.map((start) =>
        Math.max(
          0,
          (byStart.get(start) ?? []).reduce((sum, bucket) => sum + tokens(bucket), 0)
        )
      )
    }))
    .filter(({ values }) => values.some((value) => value > 0))
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
