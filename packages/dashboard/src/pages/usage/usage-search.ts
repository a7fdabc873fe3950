import { type LatencyName, latencies, type Measure, measures } from '../../usage/measures.ts'
import {
  type RangeName,
  rangeOfDays,
  ranges,
  startOfDay,
  type UsageRange,
  usageRange
} from '../../usage/usage-range.ts'

/** Groupings that every account has. Others are `metadata.` and the name of a tag. */
export const groupings = [
  ['model', 'Model'],
  ['key', 'Key'],
  ['member', 'Member'],
  ['none', 'Total']
] as const

const metadataForm = /^metadata\.[A-Za-z0-9_.-]{1,40}$/

/** The settings of the usage page in its address, so that people can bookmark and share them. */
export interface UsageSearch {
  readonly range?: RangeName
  /** The first and the last day (UTC) of a range, in this order; it holds instead of `range`. */
  readonly from?: string
  readonly to?: string
  /** `model`, `key`, `member`, `none`, or `metadata.<name>`. */
  readonly by?: string
  /** Only this key (its id), and only this model. */
  readonly key?: string
  readonly model?: string
  readonly show?: Measure
  /** Which latency. */
  readonly of?: LatencyName
  /** Whether the range before is shown. */
  readonly compare?: 'yes'
  /** Ids of series that the chart hides; see `writeHidden`. */
  readonly hide?: string
}

/** Changed settings; undefined ones are removed. */
export type UsageSearchChange = { readonly [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }

const oneOf = <Value extends string>(options: ReadonlyArray<readonly [Value, string]>, value: unknown) =>
  options.find(([option]) => option === value)?.[0]
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Reads the known search parameters of an address and drops all others. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const range = oneOf(ranges, search.range)
  const [from, to] = [text(search.from) ?? '', text(search.to) ?? '']
  const hasDays = startOfDay(from) !== null && startOfDay(to) !== null && from <= to
  const by = text(search.by)
  const isKnownGroup = by !== undefined && (metadataForm.test(by) || groupings.some(([name]) => name === by))
  const [key, model] = [text(search.key), text(search.model)]
  const show = oneOf(measures, search.show)
  const of = oneOf(latencies, search.of)
  const hide = text(search.hide)
  return {
    ...(range && { range }),
    ...(hasDays && { from, to }),
    ...(isKnownGroup && { by }),
    ...(key && { key }),
    ...(model && { model }),
    ...(show && { show }),
    ...(of && { of }),
    ...(search.compare === 'yes' && { compare: 'yes' }),
    ...(hide && { hide })
  }
}

/** The key and the model that a report is about; those of the request log have the same names. */
export type UsageOnly = Pick<UsageSearch, 'key' | 'model'>

export const onlyOf = ({ key, model }: UsageOnly): UsageOnly => ({ ...(key && { key }), ...(model && { model }) })

/** The range that an address asks for; the last 30 days if it asks for none. */
export const rangeOfSearch = ({ range = 'month', from, to }: UsageSearch, now: Date): UsageRange =>
  rangeOfDays(from, to, now) ?? usageRange(range, now)

/** Writes ids of series for the address. Ids may have any characters. */
export const writeHidden = (ids: ReadonlySet<string>): string | undefined =>
  ids.size === 0 ? undefined : `${[...ids].map(encodeURIComponent).join(',')},`

export function readHidden(text: string | undefined): ReadonlySet<string> {
  if (text === undefined) return new Set()
  try {
    return new Set(text.split(',').slice(0, -1).map(decodeURIComponent))
  } catch {
    // Someone has shortened the address.
    return new Set()
  }
}
