import type { Answer } from '../api/call.ts'

export type Bucket = Answer<'getUsage'>['buckets'][number]

/** The usage of several buckets. */
export interface Sums {
  readonly requests: number
  readonly errors: number
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly costUsd: number
}

export const nothing: Sums = {
  requests: 0,
  errors: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  costUsd: 0
}

/** Adds up buckets for display. Dollars are added as floating-point numbers, exact to far less than a cent. */
export function sumUsage(buckets: readonly Bucket[]): Sums {
  return buckets.reduce(
    (sums, bucket) => ({
      requests: sums.requests + bucket.requests,
      errors: sums.errors + bucket.errors,
      promptTokens: sums.promptTokens + bucket.prompt_tokens,
      cachedTokens: sums.cachedTokens + bucket.cached_tokens,
      completionTokens: sums.completionTokens + bucket.completion_tokens,
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
 * The starts of all UTC hours or days that a range overlaps, including those without usage.
 *
 * @param from inclusive
 * @param to exclusive
 */
export function bucketStarts(from: Date, to: Date, interval: keyof typeof stepMs): string[] {
  const step = stepMs[interval]
  const starts: string[] = []
  for (let at = Math.floor(from.getTime() / step) * step; at < to.getTime(); at += step) {
    starts.push(new Date(at).toISOString())
  }
  return starts
}
