import { randomUUID } from 'node:crypto'
import type { OfferedModel } from '@tollgate/contracts/http/account.ts'
import type { FailedAttempt, Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import type { PastRequest } from './past-usage.ts'

const { requests, errors, estimatedRequests, estimatedNanos, ...noCounts } = zeroCounts

const endpoints = { chat: '/v1/chat/completions', completion: '/v1/completions', embedding: '/v1/embeddings' } as const
const grantedTokens = 4096
/** Milliseconds until an answer begins, and for each of its tokens. */
const beginMs = 250
const tokenMs = 9

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
    ...noCounts,
    kind: 'settled',
    id: `req_${randomUUID()}`,
    account,
    key: request.key,
    at: request.at,
    count: 1,
    refused: null,
    endpoint: endpoints[model?.kind ?? 'chat'],
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

/** What the gateway reserves: each token at its highest price. A dollar per million tokens is 1000 nanodollars per token. */
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
