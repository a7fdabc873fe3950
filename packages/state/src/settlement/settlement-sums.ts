import {
  frequentCounters,
  hasRareCounts,
  type MeasuredCounter,
  measuredCounters,
  rareCounters,
  type UsageCounts,
  zeroCounts
} from '@tollgate/contracts/usage/usage-counters.ts'
import { layouts } from '../layout/layouts.ts'
import { packNumbers, packParts, packText } from '../wire/packed.ts'

const microsPerMinute = 60_000_000
const secondsPerHour = 3600

/** The sum of requests of one hour, upstream, key and model. Amounts are nanodollars. */
export interface SettledSum extends UsageCounts {
  /** When one of the requests was admitted, seconds since the epoch. */
  at: number
  key: string
  model: string
  upstream: string
  heldNanos: number
}

/** The amounts that a request adds to each counter. */
export function countsOf(request: SettledRequest): UsageCounts {
  const counts = { ...zeroCounts, requests: 1, errors: request.failed ? 1 : 0 }
  for (const counter of measuredCounters) counts[counter] = request[counter]
  if (request.estimated) {
    counts.estimatedRequests = 1
    counts.estimatedNanos = request.costNanos
  }
  return counts
}

/** Adds up the requests of each hour, upstream, key and model. */
export function sumsOf(requests: readonly SettledRequest[]): SettledSum[] {
  const sums: SettledSum[] = []
  for (const request of requests) {
    const sum = sumFor(request, sums)
    const counts = countsOf(request)
    sum.heldNanos += request.heldNanos
    for (const counter of frequentCounters) sum[counter] += counts[counter]
    if (hasRareCounts(counts)) for (const counter of rareCounters) sum[counter] += counts[counter]
  }
  return sums
}

function sumFor({ at, key, model, upstream }: SettledRequest, sums: SettledSum[]): SettledSum {
  const hour = Math.floor(at / secondsPerHour)
  for (const sum of sums) {
    const isSame = sum.key === key && sum.model === model && sum.upstream === upstream
    if (isSame && Math.floor(sum.at / secondsPerHour) === hour) return sum
  }
  const sum: SettledSum = { at, key, model, upstream, heldNanos: 0, ...zeroCounts }
  sums.push(sum)
  return sum
}

/** Packs a sum for settle-held.lua. */
export function packSum({ key, model, upstream, ...numbers }: SettledSum): string {
  const rowEnd = upstream === '' ? `|${key}|${model}` : `-${upstream}|${key}|${model}`
  const rare = hasRareCounts(numbers) ? rareCounters.map((counter) => numbers[counter]).join(' ') : ''
  return packParts(layouts.sum, { ...numbers, keyField: `k:${key}`, rowEnd, rare })
}

/** Packs a request for settle-held.lua: the unused part of the token rate, and the field of its hold. */
export function packHeld(request: SettledRequest): string {
  const { id, heldTokens, promptTokens, completionTokens, tokensPerMinute, at, tokensRestMs } = request
  const unused = ((heldTokens - promptTokens - completionTokens) * microsPerMinute) / tokensPerMinute
  return packNumbers(unused, at * 1_000_000 + tokensRestMs * 1000) + packText(`h:${id}`)
}

/** The result of an admitted request, with what it adds to the usage counters. Amounts are nanodollars. */
export interface SettledRequest extends Record<MeasuredCounter, number> {
  id: string
  key: string
  model: string
  /** The upstream that was called last; '' if none was called. */
  upstream: string
  /** When it was admitted, seconds since the epoch by the clock of Redis. */
  at: number
  /** The reservation: nanodollars, tokens, and the account's tokens a minute at that time. */
  heldNanos: number
  heldTokens: number
  tokensPerMinute: number
  /** `tokensRestMs` of its admission: milliseconds until the full burst of tokens is available again. */
  tokensRestMs: number
  failed: boolean
  /** Whether tokens and cost are estimates: the upstream reported no usage. */
  estimated: boolean
  /** Its receipt as text; absent if requests are not logged. */
  receipt?: string | null
}
