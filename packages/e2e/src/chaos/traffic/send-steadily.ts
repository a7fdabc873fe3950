import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type ApiName, ask, clientApis } from '../../metering/ask.ts'
import type { SeededKey } from '../system/seed.ts'

/** The APIs that the traffic speaks, in turn. */
export const spokenApis = ['chat', 'responses', 'messages'] as const satisfies readonly ApiName[]

/** Messages need an output limit. */
const defaultMaxTokens = 1000

const model = 'steady'
const maxTokens = 1000

/** A request and its outcome. Times come from `performance.now`. */
export interface Sent {
  sentAt: number
  answeredAt: number
  /**
   * `200`; status and code of a refusal; `broken` if the connection or stream ended too early; {@link unanswered} if it
   * did not end in time.
   */
  outcome: string
  account: string
  /** `x-request-id` of the answer; null if none arrived, or if it is not known. */
  id: string | null
}

/** The outcome of a request without an answer. It breaks a promise. */
export const unanswered = 'unanswered'
/** Longer than any answer takes. */
export const requestTimeoutMs = 60_000

/** More than are in flight while Redis is down. It stops a slow machine from collecting ever more requests. */
const maxInFlight = 60

/** Sends requests at a steady rate, without waiting for answers. `stop` resolves when all are answered. */
export function sendSteadily(perSecond: number, send: (number: number) => Promise<void>): { stop(): Promise<void> } {
  const inFlight = new Set<Promise<void>>()
  let number = 0
  const timer = setInterval(() => {
    if (inFlight.size >= maxInFlight) return
    const one = send(number++).finally(() => inFlight.delete(one))
    inFlight.add(one)
  }, 1000 / perSecond)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(inFlight)
    }
  }
}

/** Counts requests by outcome. */
export function countOutcomes(sent: readonly Pick<Sent, 'outcome'>[]): Map<string, number> {
  const outcomes = new Map<string, number>()
  for (const { outcome } of sent) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  return outcomes
}

type Refusal = { code: string; message: string } & Record<string, unknown>

/** Sends a chat without an SDK and reports the gateway's own answer. Never throws. */
export const rawChat = (
  gateway: string,
  key: Pick<SeededKey, 'secret' | 'account'>,
  body: object
): ReturnType<typeof rawAsk> => rawAsk(gateway, key, 'chat', body)

/** The same in any API. */
export async function rawAsk(
  gateway: string,
  { secret, account }: Pick<SeededKey, 'secret' | 'account'>,
  api: SpokenApi,
  body: object
): Promise<Sent & { refusal: Refusal | null }> {
  const sentAt = performance.now()
  let id: string | null = null
  const finish = (outcome: string, refusal: Refusal | null = null) => ({
    sentAt,
    answeredAt: performance.now(),
    outcome,
    account,
    id,
    refusal
  })
  try {
    const signal = AbortSignal.timeout(requestTimeoutMs)
    const { status, headers, text, error } = await ask(gateway, secret, body, { api, signal })
    id = headers.get('x-request-id')
    if (error !== null) return finish(`${status} ${error.code}`, error)
    const isStream = 'stream' in body && body.stream === true
    return finish(isStream && !clientApis[api].end.test(text) ? `broken${codeIn(text)}` : '200')
  } catch (error) {
    const isUnanswered = error instanceof Error && error.name === 'TimeoutError'
    return finish(isUnanswered ? unanswered : 'broken')
  }
}

/** A space and the code of an error event in a stream; empty without one. */
function codeIn(stream: string): string {
  const code = /"(?:error_)?code":"(\w+)"/.exec(stream)?.[1]
  return code === undefined ? '' : ` ${code}`
}

/** Sends a question with the official SDK of its API and its default retries. Never throws. */
export async function sdkAsk(
  api: SpokenApi,
  gateway: string,
  { secret, account }: SeededKey,
  words: number,
  isStream: boolean
): Promise<Sent> {
  const sentAt = performance.now()
  const finish = (outcome: string): Sent => ({ sentAt, answeredAt: performance.now(), outcome, account, id: null })
  const text = `Say ${words} words.`
  try {
    if (api === 'messages') await askAnthropic(gateway, secret, text, isStream)
    else await askOpenAI(api, gateway, secret, text, isStream)
    return finish('200')
  } catch (error) {
    if (error instanceof OpenAI.APIConnectionTimeoutError || error instanceof Anthropic.APIConnectionTimeoutError) {
      return finish(unanswered)
    }
    // The SDKs have no error class for a stream that breaks off.
    if (error instanceof OpenAI.APIError && error.status !== undefined) return finish(`${error.status} ${error.code}`)
    if (error instanceof Anthropic.APIError && error.status !== undefined) {
      return finish(`${error.status} ${codeOf(error.error)}`)
    }
    return finish('broken')
  }
}

async function askOpenAI(
  api: 'chat' | 'responses',
  gateway: string,
  apiKey: string,
  text: string,
  isStream: boolean
): Promise<void> {
  const client = new OpenAI({ baseURL: `${gateway}/v1`, apiKey, timeout: requestTimeoutMs })
  const chat = { model, messages: [{ role: 'user' as const, content: text }] }
  if (api === 'responses') {
    if (!isStream) await client.responses.create({ model, input: text })
    else for await (const _event of await client.responses.create({ model, input: text, stream: true }));
  } else if (!isStream) await client.chat.completions.create(chat)
  else for await (const _chunk of await client.chat.completions.create({ ...chat, stream: true }));
}

async function askAnthropic(gateway: string, apiKey: string, text: string, isStream: boolean): Promise<void> {
  const client = new Anthropic({ baseURL: gateway, apiKey, timeout: requestTimeoutMs })
  const question = { model, max_tokens: maxTokens, messages: [{ role: 'user' as const, content: text }] }
  if (!isStream) await client.messages.create(question)
  else for await (const _event of await client.messages.create({ ...question, stream: true }));
}

/** Our code in an error of Anthropic's API. */
const codeOf = (body: unknown): unknown =>
  (body as { error?: { details?: { error_code?: string } } } | undefined)?.error?.details?.error_code

export type SpokenApi = (typeof spokenApis)[number]

/** The API of the n-th request. Streams and single bodies alternate, so it stays the same for two requests. */
export const apiOf = (number: number): SpokenApi => spokenApis[Math.floor(number / 2) % spokenApis.length]!

interface Question {
  model: string
  text: string
  stream: boolean
  /** Absent for the model's default. */
  maxTokens?: number
}

/** The same question in each API. */
export function questionTo(api: SpokenApi, { model, text, stream, maxTokens }: Question): object {
  const limit = maxTokens ?? (api === 'messages' ? defaultMaxTokens : undefined)
  const limited = limit === undefined ? {} : { [clientApis[api].outputLimit]: limit }
  const prompt = api === 'responses' ? { input: text } : { messages: [{ role: 'user', content: text }] }
  return { model, stream, ...limited, ...prompt }
}
