import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { UsageInterval } from '@tollgate/contracts/http/usage.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const defaultSpanMs = 30 * dayMs
/** The ledger has nothing outside of these bounds, and years within them have four digits. */
const earliest = Date.UTC(2000, 0, 1)
const latest = Date.UTC(2100, 0, 1)
/** The maximum number of hours, days or months in one answer. */
export const maxBuckets = 10_000

/** Whole hours; `to` is exclusive. */
export interface UsageRange {
  readonly from: Date
  readonly to: Date
  readonly interval: UsageInterval
}

interface Query {
  readonly from?: string
  readonly to?: string
  readonly interval?: UsageInterval
}

/**
 * Reads the range of a query.
 *
 * @throws ServiceError `invalid_request` if it is empty, out of bounds, or has too many buckets
 */
export function usageRange({ from, to, interval = 'day' }: Query, now: Date): UsageRange {
  const end = Math.ceil((to === undefined ? now.getTime() : instant('to', to)) / hourMs) * hourMs
  const start = Math.floor((from === undefined ? end - defaultSpanMs : instant('from', from)) / hourMs) * hourMs
  if (start >= end) throw invalid('from: must be before to')
  const range = { from: new Date(start), to: new Date(end), interval }
  if (countBuckets(range) > maxBuckets) {
    throw invalid(`from: more than ${maxBuckets} buckets; ask for a shorter range or a longer interval`)
  }
  return range
}

/** The number of hours, days or months that a range touches. */
export function countBuckets({ from, to, interval }: UsageRange): number {
  const last = new Date(to.getTime() - 1)
  switch (interval) {
    case 'hour':
      return (to.getTime() - from.getTime()) / hourMs
    case 'day':
      return Math.floor(last.getTime() / dayMs) - Math.floor(from.getTime() / dayMs) + 1
    case 'month':
      return (last.getUTCFullYear() - from.getUTCFullYear()) * 12 + last.getUTCMonth() - from.getUTCMonth() + 1
  }
}

/** The calendar month (UTC) of a moment; `to` is the first moment after it. */
export function monthOf(now: Date): { from: Date; to: Date } {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return { from: new Date(Date.UTC(year, month)), to: new Date(Date.UTC(year, month + 1)) }
}

function instant(name: string, text: string): number {
  const time = Date.parse(text)
  if (!(time >= earliest && time <= latest)) throw invalid(`${name}: must be a time between 2000 and 2100`)
  return time
}

const invalid = (message: string): ServiceError => new ServiceError('invalid_request', { message })
