import type { RareCounts } from '@tollgate/contracts/meters/meters.ts'
import { roundedMsText } from '@tollgate/service/log/log-lines.ts'
import { GenerationalCache } from '../authenticate/generational-cache.ts'
import { type Usage, unserved } from '../usage/usage.ts'
import type { Call, Outcome } from './outcome.ts'

const rememberedModels = 1000

/**
 * Builds the part of the log line that is about a model call.
 *
 * V8 needs about 15 ns for each piece of a line, constant or not. So the line has few pieces: whole members where a
 * flag has two values, and the beginning of ordinary calls as one remembered text.
 */
export class CallLines {
  /** Beginnings by model, then by upstream. */
  readonly #ofStreams = new GenerationalCache<Map<string, string>>(rememberedModels)
  readonly #ofOthers = new GenerationalCache<Map<string, string>>(rememberedModels)

  /**
   * The JSON members of a model call, besides those of every request. The text ends with a comma.
   *
   * @param usage null if nothing was served
   * @param cost nanodollars
   */
  membersOf(call: Call, outcome: Outcome, usage: Usage | null, cost: number): string {
    const { upstream, upstreamStatus, attempts, firstByteAt, clientGone } = outcome
    const { promptTokens, cachedTokens, completionTokens, reasoningTokens, rare, estimated } = usage ?? unserved
    const isOrdinary = upstream !== null && upstreamStatus === 200 && attempts === 1
    return (
      (isOrdinary ? this.#ordinary(call, upstream) : beginning(call, upstream, upstreamStatus, attempts)) +
      `${promptTokens},"cachedTokens":${cachedTokens},` +
      `"completionTokens":${completionTokens},"reasoningTokens":${reasoningTokens},` +
      (rare === null ? '' : rareMembers(rare)) +
      `${estimated ? '"estimated":true,"costNanos":' : '"estimated":false,"costNanos":'}${cost},` +
      `"firstByteMs":${firstByteAt === null ? 'null' : roundedMsText(firstByteAt - call.startedAt)},` +
      (clientGone ? '"clientGone":true,' : '"clientGone":false,')
    )
  }

  /** The beginning for a call that its first upstream answered with status 200. */
  #ordinary(call: Call, upstream: string): string {
    const models = call.isStream ? this.#ofStreams : this.#ofOthers
    let byUpstream = models.get(call.model)
    if (byUpstream === undefined) {
      byUpstream = new Map()
      models.set(call.model, byUpstream)
    }
    let text = byUpstream.get(upstream)
    if (text === undefined) {
      text = beginning(call, upstream, 200, 1)
      byUpstream.set(upstream, text)
    }
    return text
  }
}

/** Counters that are not 0. Most requests have none of them. */
const rareMembers = (rare: RareCounts): string =>
  Object.entries(rare)
    .map(([counter, count]) => `"${counter}":${count},`)
    .join('')

/**
 * The members up to the first number of tokens. `join` copies its pieces into one; a template would keep them apart.
 */
function beginning(
  { model, isStream }: Call,
  upstream: string | null,
  status: number | null,
  attempts: number
): string {
  return [
    `"model":${JSON.stringify(model)},"stream":${isStream},`,
    `"upstream":${upstream === null ? 'null' : `"${upstream}"`},"upstreamStatus":${status},"attempts":${attempts},`,
    '"promptTokens":'
  ].join('')
}
