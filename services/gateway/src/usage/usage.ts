import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { type MeasuredCounter, zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'

/** The usage of one request. */
export interface Usage extends Record<Exclude<MeasuredCounter, 'costNanos'>, number> {
  /** Whether the gateway estimated a part that the upstream did not report. */
  estimated: boolean
  /** `toolCalls` by the provider's type of tool; null if there were none, or if their types are not known. */
  calls: Readonly<Record<string, number>> | null
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

const { requests, errors, estimatedRequests, estimatedNanos, costNanos, ...noTokens } = zeroCounts

/** The usage of a request that was not served. */
export const nothingUsed: Usage = {
  ...noTokens,
  estimated: false,
  calls: null,
  writesForUnknownTime: false,
  tier: null,
  hasOtherModels: false
}

const counters = Object.keys(noTokens) as Array<keyof typeof noTokens>

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
  for (const counter of counters) {
    const [before, after] = [earlier[counter], later[counter]]
    if (before !== null && (after === null || before > after)) larger[counter] = before
  }
  if (!later.completionTokens) larger.completionTokens = later.completionTokens
  if (earlier.toolCalls > later.toolCalls) larger.calls = earlier.calls
  larger.writesForUnknownTime ||= earlier.writesForUnknownTime
  larger.hasOtherModels ||= earlier.hasOtherModels
  return larger
}

/** The sum of two reports, each of a part of one answer. @param earlier null if `later` is the first */
export function sumOfUsage(earlier: ReportedUsage | null, later: ReportedUsage): ReportedUsage {
  if (earlier === null) return later
  const sum = largerUsage(earlier, later)
  for (const counter of counters) {
    const [before, after] = [earlier[counter], later[counter]]
    sum[counter] = before === null || after === null ? (before ?? after)! : Math.min(before + after, maxReportedTokens)
  }
  return sum
}

/**
 * Whether a usage needs no estimate. 0 output tokens count as missing here, because only an answer without words has
 * none.
 */
export function isComplete(usage: ReportedUsage | null): usage is Usage {
  return usage !== null && usage.promptTokens !== null && usage.completionTokens !== null && usage.completionTokens > 0
}
