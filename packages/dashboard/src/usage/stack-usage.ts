import { maxSeries, type Series } from '../charts/series.ts'
import { formatCount } from '../format/number.ts'
import { type Groups, type LatencyReport, othersId } from './group-usage.ts'
import type { LatencyName, SumMeasure } from './measures.ts'
import type { Bucket } from './sum-usage.ts'
import { stackTokenKinds } from './token-kinds.ts'

export function measureOf(bucket: Bucket, measure: SumMeasure): number {
  switch (measure) {
    case 'cost':
      return Number(bucket.cost_usd)
    case 'tokens':
    case 'kinds':
      return bucket.prompt_tokens + bucket.completion_tokens
    default:
      return bucket[measure]
  }
}

const total = (values: Series['values']): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

/**
 * Turns buckets into chart series, the largest group first. The smallest groups share the last series.
 *
 * @param starts the start of each bar, from `bucketStarts`
 */
export function stackUsage(
  buckets: readonly Bucket[],
  starts: readonly string[],
  measure: SumMeasure,
  { groupOf, nameOf }: Pick<Groups, 'groupOf' | 'nameOf'>
): Series[] {
  if (measure === 'kinds') return mergeSmallest(stackTokenKinds(buckets, starts), starts.length)
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
  const series = [...groups].map(([id, values]) => ({ id, name: nameOf(id), values }))
  return mergeSmallest(
    series.sort((a, b) => total(b.values) - total(a.values)),
    starts.length
  )
}

/** The last series has the smallest groups, and those that the report has together already. */
function mergeSmallest(series: readonly Series[], places: number): Series[] {
  const single = series.filter(({ id }) => id !== othersId)
  const merged = series.filter(({ id }) => id === othersId)
  if (series.length <= maxSeries) return [...single, ...merged]
  const rest = [...single.slice(maxSeries - 1), ...merged]
  const values = Array.from({ length: places }, (_, at) => rest.reduce((sum, one) => sum + (one.values[at] ?? 0), 0))
  const name = merged.length > 0 ? 'Others' : `${rest.length} others`
  return [...single.slice(0, maxSeries - 1), { id: othersId, name, values }]
}

/** The sums of all groups of each bar, in the order of `starts`. */
export function sumByStart(buckets: readonly Bucket[], starts: readonly string[], measure: SumMeasure): number[] {
  return (
    stackUsage(buckets, starts, measure === 'kinds' ? 'tokens' : measure, {
      groupOf: () => '=',
      nameOf: () => 'Total'
    })[0]?.values.map((value) => value ?? 0) ?? starts.map(() => 0)
  )
}

type Measured = Pick<LatencyReport['totals'][number], 'first_byte_ms' | 'duration_ms'>

export function latencyOf({ first_byte_ms: first, duration_ms: whole }: Measured, name: LatencyName): number {
  switch (name) {
    case 'first':
      return first.p50
    case 'first95':
      return first.p95
    case 'whole':
      return whole.p50
    case 'whole95':
      return whole.p95
  }
}

/** Lines of the groups with the most measured requests. Percentiles do not add up, so smaller groups have no line. */
export function latencyLines(
  { buckets, totals }: Pick<LatencyReport, 'buckets' | 'totals'>,
  starts: readonly string[],
  name: LatencyName,
  { groupOf, nameOf }: Pick<Groups, 'groupOf' | 'nameOf'>
): Series[] {
  const place = new Map(starts.map((start, at) => [start, at]))
  const byGroup = Map.groupBy(buckets, groupOf)
  return totals.slice(0, maxSeries).map((measured) => {
    const id = groupOf(measured)
    const values: Array<number | null> = starts.map(() => null)
    for (const bucket of byGroup.get(id) ?? []) {
      const at = place.get(new Date(bucket.start).toISOString())
      if (at !== undefined) values[at] = latencyOf(bucket, name)
    }
    return { id, name: nameOf(id), values }
  })
}

/** The plural of what a report groups by. */
const nouns: Readonly<Record<string, string>> = { model: 'models', key: 'keys', member: 'members' }

/** Says which groups have no line in the chart; null if all have one. */
export function describeWithoutLine({
  totals,
  group_by: by
}: Pick<LatencyReport, 'totals' | 'group_by'>): string | null {
  const rest = totals.slice(maxSeries)
  if (rest.length === 0) return null
  const noun = nouns[by] ?? 'groups'
  const count = `${rest.some(({ others }) => others === true) ? 'at least ' : ''}${formatCount(rest.length)}`
  return `The chart shows the ${maxSeries} ${noun} with the most requests, and leaves out ${count}. “Whole range” below shows all.`
}
