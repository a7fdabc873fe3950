import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { inputMembers, outputMembers } from '@tollgate/contracts/prices/charge-rates.ts'
import { type UsageCounts, zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import { clientApis } from './client-apis.ts'
import { meteredModels } from './kinds/models.ts'
import { costOf, hasWorked } from './produced.ts'
import type { Sent } from './send-kinds.ts'

type Prices = Catalog['models'][string]['prices']

/** Describes the error in a charge; null if the charge is right. @param calls of the model server for the request */
export function faultOf(
  { ending, model, kind }: Sent,
  charged: UsageCounts,
  calls: readonly RecordedRequest[],
  bodyOf: (call: RecordedRequest) => string
): string | null {
  if (kind.isFree) {
    if (ending !== 'served') return 'not served'
    return charged.costNanos === 0 && charged.promptTokens === 0 ? null : 'charged although it is free'
  }
  if (charged.errors !== Number(ending === 'failed')) return 'wrong number of failed requests'
  const { prices } = meteredModels[model]!
  const answered = calls.filter(hasWorked)
  if (answered.length > 1) return 'retried after an answer had begun'
  const [call] = answered
  if (call === undefined) return charged.costNanos === 0 ? null : 'charged without an answer'
  const whole = costOf(call, prices)
  const isExact = isSame(charged, countsOf(call, charged.errors, whole))
  // The gateway reads a stream to its end and gets the usage, even if the client hung up.
  if (kind.isReported && ending !== 'failed' && call.finishedAtMs !== null)
    return isExact ? null : 'not charged exactly'
  if (isExact) return null
  // A response that fails without a report of its usage is not billed, unless it has words.
  if (ending === 'served' && call.completionTokens === 0 && charged.costNanos === 0) return null
  if (charged.requests !== 1 || charged.estimatedRequests !== 1) return 'not counted as estimated'
  const max = maxReservedNanos(bodyOf(call), clientApis[kind.api].outputLimit, model)
  return charged.costNanos >= whole && charged.costNanos <= max ? null : `not between ${whole} and ${max}`
}

/** The ledger of a request, as its bill says. */
function countsOf(call: RecordedRequest, errors: number, costNanos: number): UsageCounts {
  return {
    ...zeroCounts,
    requests: 1,
    errors,
    promptTokens: call.promptTokens,
    cachedTokens: call.cachedTokens,
    completionTokens: call.completionTokens,
    reasoningTokens: call.reasoningTokens,
    cacheWriteTokens: call.cacheWriteTokens,
    longCacheWriteTokens: call.cacheWriteLongTokens,
    audioInputTokens: call.audioPromptTokens,
    imageInputTokens: call.imagePromptTokens,
    audioOutputTokens: call.audioCompletionTokens,
    imageOutputTokens: call.imageCompletionTokens,
    toolCalls: Object.values(call.toolCalls).reduce((sum, count) => sum + count, 0),
    costNanos
  }
}

/** Tokens that the gateway reserves around a message, and for the tools of a request. */
const [aroundMessage, aroundTools] = [16, 1024]
const maxImageTokens = 2125

/** Maximum reservation of a request, nanodollars. Each byte of the body counts as a token. */
function maxReservedNanos(body: string, outputLimit: string | null, model: string): number {
  const members = JSON.parse(body) as Record<string, unknown>
  const { prompt, n = 1, best_of: best = 1 } = members as { prompt?: unknown; n?: number; best_of?: number }
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1
  const listed = [members.messages, members.input].flatMap((list) => (Array.isArray(list) ? list : []))
  const images = body.split('image/png').length - 1
  const promptTokens =
    Buffer.byteLength(body) + aroundMessage * (listed.length + prompts) + aroundTools + images * maxImageTokens
  const granted = outputLimit === null ? 0 : Number(members[outputLimit])
  const completionTokens = prompts * Math.max(n, best) * granted
  const dearest = dearestPrices(meteredModels[model]!.prices)
  return costOf({ promptTokens, cachedTokens: 0, completionTokens }, dearest)
}

/** Each side at the dearest price of its kinds, tiers and lengths. */
function dearestPrices({ periods = [], requestNanos = 0, ...flat }: Prices): Prices {
  const all = [flat, ...periods.flatMap(({ rows }) => rows.map((row) => row.prices))]
  const dearest = (members: typeof inputMembers | typeof outputMembers) =>
    Math.max(...all.flatMap((listed) => members.map((member) => listed[member] ?? 0)))
  return {
    inputPicos: dearest(inputMembers),
    cachedInputPicos: 0,
    outputPicos: dearest(outputMembers),
    requestNanos
  }
}

function isSame(one: UsageCounts, other: UsageCounts): boolean {
  return Object.entries(other).every(([member, value]) => one[member as keyof UsageCounts] === value)
}
