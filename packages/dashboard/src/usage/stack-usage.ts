import type { Series } from '../charts/bar-chart.tsx'
import type { Groups } from './group-usage.ts'
import type { Bucket } from './sum-usage.ts'

export const measures = [
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
  ['requests', 'Requests'],
  ['errors', 'Errors']
] as const
export type Measure = (typeof measures)[number][0]

function measureOf(bucket: Bucket, measure: Measure): number {
  switch (measure) {
    case 'cost':
      return Number(bucket.cost_usd)
    case 'tokens':
      return bucket.prompt_tokens + bucket.completion_tokens
    default:
      return bucket[measure]
  }
}

/** More colours than these are hard to tell apart. */
const maxSeries = 5
/** No model and no key has this id. */
const othersId = ''

/**
 * Turns buckets into chart series, the largest group first. The smallest groups share the last series.
 *
 * @param starts the start of each bar, from `bucketStarts`
 */
export function stackUsage(
  buckets: readonly Bucket[],
  starts: readonly string[],
  measure: Measure,
  { groupOf, nameOf }: Pick<Groups, 'groupOf' | 'nameOf'>
): Series[] {
  const place = new Map(starts.map((start, at) => [start, at]))
  const groups = new Map<string, number[]>()
  for (const bucket of buckets) {
    const at = place.get(new Date(bucket.start).toISOString())
    if (at === undefined) continue
    const group = groupOf(bucket)
    const values = groups.get(group) ?? starts.map(() => 0)
    values[at] = (values[at] ?? 0) + measureOf(bucket, measure)
    groups.set(group, values)
  }
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  const series = [...groups]
    .map(([id, values]) => ({ id, name: nameOf(id), values }))
    .sort((a, b) => total(b.values) - total(a.values))
  if (series.length <= maxSeries) return series
  const rest = series.slice(maxSeries - 1)
  const together = starts.map((_, at) => rest.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  return [...series.slice(0, maxSeries - 1), { id: othersId, name: `${rest.length} others`, values: together }]
}
