import { randomUUID } from 'node:crypto'
import { apis, apisOfKind, modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import type { OfferedModel } from '@tollgate/contracts/http/account.ts'
import type { FailedAttempt, Receipt } from '@tollgate/contracts/requests/receipt.ts'
import type { DemoKey } from './demo-keys.ts'

const grantedTokens = 4096

/** Milliseconds until an answer begins, and for each of its tokens. */
const beginMs = 250

const tokenMs = 9

/** A key, and since when apps use it: seconds since the epoch. */
export type PastKey = DemoKey & { readonly usedFrom: number }

/** A request of the past. */
export interface PastRequest {
  readonly key: string
  readonly model: string
  /** Seconds since the epoch. */
  readonly at: number
  readonly costNanos: number
  /** Tokens of the prompt, also of a failed request: the reservation counts them. */
  readonly sentTokens: number
  /** Charged tokens of the prompt. */
  readonly promptTokens: number
  /** Part of `promptTokens`. */
  readonly cachedTokens: number
  readonly completionTokens: number
  /** Hidden reasoning. Part of `completionTokens`. */
  readonly reasoningTokens: number
  readonly failed: boolean
}

export interface PastOptions {
  /** The end of the usage, in seconds since the epoch. */
  readonly now: number
  /** The keys by id. */
  readonly keys: ReadonlyMap<string, PastKey>
  readonly models: readonly OfferedModel[]
  /** The maximum total cost of any 31 days. */
  readonly maxNanos: number
  /** Returns numbers from 0 to below 1, as Math.random. */
  readonly random: () => number
}

/** Enough for a whole month and the whole month before it, which the usage page compares. */
export const historyDays = 62
const hourSeconds = 3600
const historySeconds = historyDays * 24 * hourSeconds
const monthSeconds = 31 * 24 * hourSeconds
/** The shares of an office's requests by hour of the day (UTC): few at night, most before and after noon. */
const officeHours = [1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 20, 17, 14, 18, 20, 18, 14, 9, 6, 5, 4, 3, 2, 1]
const nightHours = officeHours.map((_, hour) => (hour === 2 ? 160 : 0))

/** Generates requests of two months: fewer at night and on weekends, more each week, some of them failed. */
export function pastUsage({ now, keys, models, maxNanos, random }: PastOptions): PastRequest[] {
  const requests: PastRequest[] = []
  for (let start = now - historySeconds; start < now; start += hourSeconds) {
    const time = new Date(start * 1000)
    const isWeekend = time.getUTCDay() % 6 === 0
    const growth = 1 - (0.4 * (now - start)) / historySeconds
    for (const [id, key] of keys) {
      if (start < key.usedFrom) continue
      const shape = (key.isNightly ? nightHours : officeHours)[time.getUTCHours()]!
      const expected = key.requestsPerDay * (shape / 202) * growth * (isWeekend ? key.weekendShare : 1)
      const count = Math.round(expected * (0.7 + 0.6 * random()) + random() - 0.5)
      for (let n = 0; n < count; n++) requests.push(pastRequest(id, key, start, models, random))
    }
  }
  // Usage grows, so no 31 days cost more than the last ones.
  const total = requests.reduce((sum, { at, costNanos }) => (at < now - monthSeconds ? sum : sum + costNanos), 0)
  return total <= maxNanos ? requests : requests.filter(() => random() < maxNanos / total)
}

function pastRequest(
  id: string,
  key: DemoKey,
  start: number,
  models: readonly OfferedModel[],
  random: () => number
): PastRequest {
  const name = key.models[random() < 0.75 ? 0 : key.models.length - 1]
  // The operator's own catalog may have other models.
  const model = models.find(({ id }) => id === name) ?? models[0]!
  const failed = random() < 0.003
  const sentTokens = Math.round(key.promptTokens * (0.4 + 1.2 * random()))
  const promptTokens = failed ? 0 : sentTokens
  const cachedTokens = model.kind === 'chat' && random() < 0.5 ? Math.round(promptTokens * 0.6) : 0
  const completionTokens =
    failed || !modelKinds[model.kind].hasOutput ? 0 : Math.round(key.completionTokens * (0.3 + 1.4 * random()))
  const reasoningTokens = model.id.startsWith('gpt-5') ? Math.round(completionTokens * 0.4) : 0
  const { input, cached_input, output, reasoning } = model.usd_per_million_tokens
  const micros =
    (promptTokens - cachedTokens) * input +
    cachedTokens * cached_input +
    (completionTokens - reasoningTokens) * output +
    reasoningTokens * reasoning
  const at = start + Math.floor(random() * hourSeconds)
  return {
    key: id,
    model: model.id,
    at,
    costNanos: Math.ceil(micros * 1000),
    sentTokens,
    promptTokens,
    cachedTokens,
    completionTokens,
    reasoningTokens,
    failed
  }
}

/**
 * The receipt of a past request, with the same tokens and cost as its usage.
 *
 * @param random returns numbers from 0 to below 1, as Math.random
 */
export function pastReceipt(
  account: string,
  request: PastRequest,
  models: readonly OfferedModel[],
  random: () => number
): Receipt {
  const { failed, sentTokens, promptTokens, completionTokens } = request
  const model = models.find(({ id }) => id === request.model)
  const isChat = model?.kind === 'chat'
  const outputTokens = isChat ? grantedTokens : 0
  const failedAttempts = failuresOf(failed ? 2 : random() < 0.01 ? 1 : 0, random)
  const firstByteMs = endOf(failedAttempts) + Math.round(beginMs * (0.6 + 1.5 * random()))
  return {
    rare: null,
    kind: 'settled',
    id: `req_${randomUUID()}`,
    account,
    key: request.key,
    at: request.at,
    count: 1,
    refused: null,
    endpoint: apis[apisOfKind(model?.kind ?? 'chat')[0]!].path,
    model: request.model,
    askedModel: null,
    answeredModel: null,
    isStream: isChat && random() < 0.6,
    upstream: 'openai',
    attempts: failedAttempts.length + (failed ? 0 : 1),
    failedAttempts,
    status: failed ? 502 : 200,
    code: failed ? 'upstream_error' : null,
    isEstimated: false,
    clientGone: !failed && random() < 0.004,
    costNanos: request.costNanos,
    promptTokens,
    cachedTokens: request.cachedTokens,
    completionTokens,
    reasoningTokens: request.reasoningTokens,
    heldNanos: model === undefined ? 0 : maxCostNanos(model, sentTokens, outputTokens),
    heldTokens: sentTokens + outputTokens,
    grantedTokens: isChat ? grantedTokens : null,
    tier: null,
    rates: failed || model === undefined ? null : ratesOf(model, request),
    firstByteMs: failed ? null : firstByteMs,
    durationMs: firstByteMs + Math.round(completionTokens * tokenMs * (0.8 + 0.5 * random())),
    address: null
  }
}

/** Failed calls, one after the other. */
function failuresOf(count: number, random: () => number): FailedAttempt[] {
  let startedMs = 1
  return Array.from({ length: count }, () => {
    const durationMs = Math.round(40 + 300 * random())
    const call = { upstream: 'openai', code: 'upstream_error', status: 500, startedMs, durationMs }
    startedMs += durationMs + Math.round(500 * random())
    return call
  })
}

/** When the last call failed: milliseconds from the arrival of the request. */
function endOf(failedAttempts: readonly FailedAttempt[]): number {
  const last = failedAttempts.at(-1)
  return last === undefined ? 0 : last.startedMs + last.durationMs
}

/**
 * What the gateway reserves: each token at its highest price. A dollar per million tokens is 1000 nanodollars per
 * token.
 */
function maxCostNanos(
  { usd_per_million_tokens: usd }: OfferedModel,
  promptTokens: number,
  outputTokens: number
): number {
  const perPrompt = Math.max(usd.input, usd.cached_input)
  const perOutput = Math.max(usd.output, usd.reasoning)
  return Math.ceil((promptTokens * perPrompt + outputTokens * perOutput) * 1000)
}

/** The prices that the request used, as JSON. A dollar per million tokens is a million picodollars per token. */
function ratesOf({ usd_per_million_tokens: usd }: OfferedModel, request: PastRequest): string {
  const picos = (dollars: number) => Math.round(dollars * 1e6)
  return JSON.stringify({
    inputPicos: picos(usd.input),
    ...(request.cachedTokens > 0 && { cachedInputPicos: picos(usd.cached_input) }),
    ...(request.completionTokens > 0 && { outputPicos: picos(usd.output) }),
    ...(request.reasoningTokens > 0 && { reasoningPicos: picos(usd.reasoning) })
  })
}
