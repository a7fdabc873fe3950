import type { GroupFilter } from '../../usage/group-usage.ts'
import type { UsageRange } from '../../usage/usage-range.ts'
import type { RequestsSearch } from '../requests/requests-search.ts'
import type { UsageOnly } from './usage-search.ts'

/** Groups that stay separate. An account may have thousands of keys, and an answer has a maximum number of buckets. */
const top = '50'

/** The input of a report of a range. */
export const usageInput = ({ from, to, interval }: UsageRange, by: string, only: UsageOnly = {}) => ({
  query: { from: from.toISOString(), to: to.toISOString(), interval, group_by: by, top, ...only }
})

const hourMs = 3_600_000
const dayLength = '2026-11-23'.length
const hourLength = '2026-11-23T05:00'.length

/** A day or an hour as the requests page names it. */
const nameOf = (time: Date, isHour: boolean): string =>
  isHour ? `${time.toISOString().slice(0, hourLength)}Z` : time.toISOString().slice(0, dayLength)

/** The filters of the requests page that find the requests of a whole range. */
export function requestsOfRange({ from, to, interval }: UsageRange, group: GroupFilter | null = {}): RequestsSearch {
  const isHour = interval === 'hour'
  const last = new Date(to.getTime() - hourMs)
  return { ...group, from: nameOf(from, isHour), to: nameOf(last, isHour) }
}

/** The filters of the requests page that find the requests of a bar. */
export function requestsOfBar(
  start: string,
  interval: UsageRange['interval'],
  group: GroupFilter = {}
): RequestsSearch {
  const from = new Date(start)
  const to =
    interval === 'month'
      ? new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1))
      : new Date(from.getTime() + (interval === 'hour' ? hourMs : 24 * hourMs))
  return requestsOfRange({ from, to, interval }, group)
}
