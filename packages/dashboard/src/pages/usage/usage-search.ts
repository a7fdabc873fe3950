import { type Measure, measures } from '../../usage/stack-usage.ts'
import { type RangeName, ranges } from '../../usage/usage-range.ts'

export const groupings = [
  ['model', 'By model'],
  ['key', 'By key'],
  ['none', 'All together']
] as const
type Grouping = (typeof groupings)[number][0]

/** What of the usage is shown, as the address has it: so it can be kept and sent to others. */
export type UsageSearch = { range?: RangeName; by?: Grouping; show?: Measure }

const known = <Value extends string>(options: ReadonlyArray<readonly [Value, string]>, value: unknown) =>
  options.find(([one]) => one === value)?.[0]

/** Takes what it knows from an address. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const range = known(ranges, search.range)
  const by = known(groupings, search.by)
  const show = known(measures, search.show)
  return { ...(range && { range }), ...(by && { by }), ...(show && { show }) }
}
