import { type Measure, measures } from '../../usage/stack-usage.ts'
import { type RangeName, ranges } from '../../usage/usage-range.ts'

export const groupings = [
  ['model', 'By model'],
  ['key', 'By key'],
  ['none', 'Total']
] as const
type Grouping = (typeof groupings)[number][0]

/** The settings of the usage page in its address, so that people can bookmark and share them. */
export interface UsageSearch {
  range?: RangeName
  by?: Grouping
  show?: Measure
}

const known = <Value extends string>(options: ReadonlyArray<readonly [Value, string]>, value: unknown) =>
  options.find(([option]) => option === value)?.[0]

/** Reads the known search parameters of an address and drops all others. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const range = known(ranges, search.range)
  const by = known(groupings, search.by)
  const show = known(measures, search.show)
  return { ...(range && { range }), ...(by && { by }), ...(show && { show }) }
}
