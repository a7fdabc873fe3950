import { hasRareCounts, rareCounters } from '@tollgate/contracts/usage/usage-counters.ts'
import { roundMs } from '@tollgate/service/log/request-line.ts'
import { nothingUsed, type Usage } from '../usage/usage.ts'
import type { Call, Outcome } from './outcome.ts'

/**
 * The JSON members in the log line of a model call, besides those of every request. The text ends with a comma.
 *
 * @param usage null if nothing was served
 * @param cost nanodollars
 */
export function callMembers(call: Call, outcome: Outcome, usage: Usage | null, cost: number): string {
  const { upstream, upstreamStatus, attempts, firstByteAt, clientGone } = outcome
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated } = usage ?? nothingUsed
  return (
    `"model":${JSON.stringify(call.model)},"stream":${call.isStream},` +
    `"upstream":${upstream === null ? 'null' : `"${upstream}"`},"upstreamStatus":${upstreamStatus},"attempts":${attempts},` +
    `"promptTokens":${promptTokens},"cachedTokens":${cachedTokens},` +
    `"completionTokens":${completionTokens},"reasoningTokens":${reasoningTokens},` +
    `${rareMembers(usage)}"estimated":${estimated},"costNanos":${cost},` +
    `"firstByteMs":${firstByteAt === null ? null : roundMs(firstByteAt - call.startedAt)},"clientGone":${clientGone},`
  )
}

/** Counters that are not 0. Most requests have none of them. */
function rareMembers(usage: Usage | null): string {
  if (usage === null || !hasRareCounts(usage)) return ''
  return rareCounters.map((counter) => (usage[counter] === 0 ? '' : `"${counter}":${usage[counter]},`)).join('')
}
