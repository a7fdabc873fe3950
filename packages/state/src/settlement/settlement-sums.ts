import { rareCounters, type UsageCounts, zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import type { Receipt, RequestCounts } from '@tollgate/contracts/requests/receipt.ts'
import { layouts } from '../layout/layouts.ts'
import { packNumbers, packParts, packText } from '../wire/packed.ts'

const microsPerMinute = 60_000_000
const secondsPerHour = 3600
const secondsPerMinute = 60

/**
 * The sum of requests of one hour (or minute, if they count for a limit of a minute), upstream, key, model and the same
 * budgets. Amounts are nanodollars.
 */
export interface SettledSum extends UsageCounts {
  /** When one of the requests was admitted, seconds since the epoch. */
  at: number
  key: string
  model: string
  upstream: string
  budgets: string
  heldNanos: number
  heldTokens: number
  /** Whether a rare counter may not be 0. */
  hasRare: boolean
}

/** The amounts that a request adds to each counter. */
export function countsOf(request: SettledRequest): UsageCounts {
  const sum = { ...zeroCounts }
  addTo(sum, request)
  return sum
}

function addTo(sum: UsageCounts, request: SettledRequest): void {
  sum.requests++
  if (request.failed) sum.errors++
  sum.promptTokens += request.promptTokens
  sum.cachedTokens += request.cachedTokens
  sum.completionTokens += request.completionTokens
  sum.reasoningTokens += request.reasoningTokens
  sum.costNanos += request.costNanos
  if (request.estimated) {
    sum.estimatedRequests++
    sum.estimatedNanos += request.costNanos
  }
  if (request.rare !== null) for (const counter of rareCounters) sum[counter] += request.rare[counter] ?? 0
}

/** Adds up the requests of each hour, upstream, key, model and list of budgets. */
export function sumsOf(requests: readonly SettledRequest[]): SettledSum[] {
  const sums: SettledSum[] = []
  for (const request of requests) {
    const sum = sumFor(request, sums)
    sum.heldNanos += request.heldNanos
    sum.heldTokens += request.heldTokens
    sum.hasRare ||= request.rare !== null
    addTo(sum, request)
  }
  return sums
}

function sumFor({ at, key, model, upstream, budgets }: SettledRequest, sums: SettledSum[]): SettledSum {
  const seconds = budgets.includes('i:') ? secondsPerMinute : secondsPerHour
  const time = Math.floor(at / seconds)
  for (const sum of sums) {
    const isSame = sum.key === key && sum.model === model && sum.upstream === upstream && sum.budgets === budgets
    if (isSame && Math.floor(sum.at / seconds) === time) return sum
  }
  const sum: SettledSum = {
    at,
    key,
    model,
    upstream,
    budgets,
    heldNanos: 0,
    heldTokens: 0,
    hasRare: false,
    ...zeroCounts
  }
  sums.push(sum)
  return sum
}

/** Packs a sum for settle-held.lua. */
export function packSum({ key, model, upstream, hasRare, budgets, heldTokens, ...numbers }: SettledSum): string {
  const rowEnd = upstream === '' ? `|${key}|${model}` : `-${upstream}|${key}|${model}`
  const rare = hasRare ? rareCounters.map((counter) => numbers[counter]).join(' ') : ''
  const limits = budgets.includes('t') ? budgets.replace(limitOfTokens, `$&=${heldTokens}`) : budgets
  return packParts(layouts.sum, { ...numbers, keyField: `k:${key}`, rowEnd, rare, budgets: limits })
}

/** The field of a limit of tokens in a list: see layout/budget.lua. */
const limitOfTokens = /(?<=^| )t\S+/

/** Packs a request for settle-held.lua: the unused part of the token rate, and the field of its hold. */
export function packHeld(request: SettledRequest): string {
  const { id, heldTokens, promptTokens, completionTokens, tokensPerMinute, at, tokensRestMs } = request
  const unused = ((heldTokens - promptTokens - completionTokens) * microsPerMinute) / tokensPerMinute
  return packNumbers(unused, at * 1_000_000 + tokensRestMs * 1000) + packText(`h:${id}`)
}

/** The result of an admitted request, with what it adds to the usage counters. Amounts are nanodollars. */
export interface SettledRequest extends RequestCounts {
  id: string
  key: string
  model: string
  /** The upstream that was called last; '' if none was called. */
  upstream: string
  /** `budgets` of its `PreparedAdmission`: fields of budgets with a window and of limits of counts. */
  budgets: string
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
  /** Absent if requests are not logged. */
  receipt?: Receipt | null
}
