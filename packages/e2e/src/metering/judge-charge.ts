import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { inputMembers, outputMembers } from '@tollgate/contracts/prices/charge-rates.ts'
import { type UsageCounts, zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import { clientApis } from './client-apis.ts'
import { meteredModels } from './kinds/models.ts'
import { costOf, hasWorked } from './produced.ts'
import type { Sent } from './send-kinds.ts'

type Model = Catalog['models'][string]
type Prices = Model['prices']

/** Describes the error in a charge; null if the charge is right. @param row of the ledger for the request */
export function faultOf(
  { ending, model, kind }: Sent,
  row: UsageCounts | undefined,
  calls: readonly RecordedRequest[],
  bodyOf: (call: RecordedRequest) => string
): string | null {
  if (kind.isFree) {
    if (ending !== 'served') return 'not served'
    return row === undefined ? null : 'recorded as usage although it is free'
  }
  const charged = row ?? zeroCounts
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
  const body = JSON.parse(bodyOf(call)) as Record<string, unknown>
  const max = maxReservedNanos(body, clientApis[kind.api].outputLimit, meteredModels[model]!)
  const { toolCalls } = countsOf(call, 0, 0)
  const min = Math.max(whole, charged.toolCalls * (prices.callNanos?.web_search ?? 0))
  if (charged.toolCalls < toolCalls) return 'fewer searches than billed'
  return charged.costNanos >= min && charged.costNanos <= max ? null : `not between ${min} and ${max}`
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

/** How often the model reads its prompt in a message with searches. Each time it may write the whole output. */
const messagePasses = 10

/** Maximum reservation of a request, nanodollars. Each byte of the body counts as a token. Each pass after a search may fill the context. */
function maxReservedNanos(members: Record<string, unknown>, outputLimit: string | null, model: Model): number {
  const body = JSON.stringify(members)
  const { prompt, n = 1, best_of: best = 1 } = members as { prompt?: unknown; n?: number; best_of?: number }
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1
  const listed = [members.messages, members.input].flatMap((list) => (Array.isArray(list) ? list : []))
  const images = body.split('image/png').length - 1
  const promptTokens =
    Buffer.byteLength(body) + aroundMessage * (listed.length + prompts) + aroundTools + images * maxImageTokens
  const granted = outputLimit === null ? model.maxOutputTokens : Number(members[outputLimit])
  const completionTokens = prompts * Math.max(n, best) * granted
  const dearest = dearestPrices(model.prices)
  const searches = grantedSearches(members)
  if (searches === 0) return costOf({ promptTokens, cachedTokens: 0, completionTokens }, dearest)
  const [passes, outputs] = 'messages' in members ? [messagePasses, messagePasses] : [searches + 1, 1]
  const bill = {
    promptTokens: Math.max(promptTokens, model.contextWindow) + (passes - 1) * model.contextWindow,
    cachedTokens: 0,
    completionTokens: completionTokens * outputs,
    toolCalls: { web_search: searches }
  }
  return costOf(bill, dearest)
}

/** The searches that the gateway allows the provider in a request. */
function grantedSearches({ tools, max_tool_calls: max }: Record<string, unknown>): number {
  const all = (Array.isArray(tools) ? tools : []) as Array<{ type: string; max_uses?: number }>
  const search = all.find(({ type }) => /^web_search/.test(type))
  return search === undefined ? 0 : (search.max_uses ?? Number(max))
}

/** Each side at the dearest price of its kinds, tiers and lengths. */
function dearestPrices({ periods = [], requestNanos = 0, callNanos = {}, ...flat }: Prices): Prices {
  const all = [flat, ...periods.flatMap(({ rows }) => rows.map((row) => row.prices))]
  const dearest = (members: typeof inputMembers | typeof outputMembers) =>
    Math.max(...all.flatMap((listed) => members.map((member) => listed[member] ?? 0)))
  return {
    inputPicos: dearest(inputMembers),
    cachedInputPicos: 0,
    outputPicos: dearest(outputMembers),
    requestNanos,
    callNanos
  }
}

function isSame(one: UsageCounts, other: UsageCounts): boolean {
  return Object.entries(other).every(([member, value]) => one[member as keyof UsageCounts] === value)
}
