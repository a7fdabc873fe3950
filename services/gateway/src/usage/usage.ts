import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { type RareCounts, rareCounters, rareCounts } from '@tollgate/contracts/meters/meters.ts'
import type { PricedUsage } from '@tollgate/contracts/prices/cost.ts'

/** The usage of one request. */
export interface Usage extends PricedUsage {
  /** Whether the provider served anything. If not, the call costs nothing, not even the price of a request. */
  isServed: boolean
  /** Whether the gateway estimated a part that the upstream did not report. */
  estimated: boolean
  /**
   * Whether `cacheWriteTokens` may have been written for the provider's long time, because the provider does not tell
   * the time.
   */
  writesForUnknownTime: boolean
  /** The service tier that the answer names; null if it names none. */
  tier: string | null
  /** Whether other models took part, whose prices are not known. Then the request costs at least its hold. */
  hasOtherModels: boolean
}

/** The usage that an upstream reported. A number is null if the upstream reported no valid one. */
export interface ReportedUsage extends Omit<Usage, 'promptTokens' | 'completionTokens'> {
  promptTokens: number | null
  completionTokens: number | null
}

/** A usage whose counts are all 0: readers fill it in. */
export const noUsage: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  rare: null,
  calls: null,
  isServed: true,
  estimated: false,
  writesForUnknownTime: false,
  tier: null,
  hasOtherModels: false
}

/** The usage of a request that was not served. */
export const unserved: Usage = { ...noUsage, isServed: false }

/**
 * The larger of two reports of one answer, counter by counter: a later report with less takes back nothing that was
 * used. If the later one lacks the output, it stays missing and is estimated: the earlier number may be of the
 * beginning.
 *
 * @param earlier null if `later` is the first
 */
export function largerUsage(earlier: ReportedUsage | null, later: ReportedUsage): ReportedUsage {
  if (earlier === null) return later
  const larger: ReportedUsage = { ...later, tier: later.tier ?? earlier.tier }
  for (const counter of frequent) {
    const [before, after] = [earlier[counter], later[counter]]
    if (before !== null && (after === null || before > after)) larger[counter] = before
  }
  larger.rare = merged(earlier.rare, later.rare, Math.max)
  if (!later.completionTokens) larger.completionTokens = later.completionTokens
  if (callsOf(earlier) > callsOf(later)) larger.calls = earlier.calls
  larger.isServed ||= earlier.isServed
  larger.writesForUnknownTime ||= earlier.writesForUnknownTime
  larger.hasOtherModels ||= earlier.hasOtherModels
  return larger
}

/** The sum of two reports, each of a part of one answer. @param earlier null if `later` is the first */
export function sumOfUsage(earlier: ReportedUsage | null, later: ReportedUsage): ReportedUsage {
  if (earlier === null) return later
  const sum = largerUsage(earlier, later)
  for (const counter of frequent) {
    const [before, after] = [earlier[counter], later[counter]]
    sum[counter] = before === null || after === null ? (before ?? after)! : Math.min(before + after, maxReportedTokens)
  }
  sum.rare = merged(earlier.rare, later.rare, (before, after) => Math.min(before + after, maxReportedTokens))
  return sum
}

const frequent = ['promptTokens', 'cachedTokens', 'completionTokens', 'reasoningTokens'] as const

const callsOf = ({ rare }: ReportedUsage): number => rare?.toolCalls ?? 0

function merged(
  earlier: RareCounts | null,
  later: RareCounts | null,
  merge: (before: number, after: number) => number
): RareCounts | null {
  if (earlier === null || later === null) return earlier ?? later
  const counts = rareCounters.map((counter) => [counter, merge(earlier[counter] ?? 0, later[counter] ?? 0)])
  return rareCounts(Object.fromEntries(counts))
}

/**
 * Whether a usage needs no estimate. 0 output tokens count as missing here, because only an answer without words has
 * none.
 */
export function isComplete(usage: ReportedUsage | null): usage is Usage {
  return usage !== null && usage.promptTokens !== null && usage.completionTokens !== null && usage.completionTokens > 0
}
