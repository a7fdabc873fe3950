import type { ApiName } from '@tollgate/contracts/catalog/apis.ts'
import { memberOf } from '../body/json-text.ts'
import type { MemberSpan } from '../body/members.ts'

/** How a provider counts the tokens of a prompt for nothing. */
export const counterNames = ['anthropic', 'openai', 'gemini', 'vllm'] as const
export type CounterName = (typeof counterNames)[number]

/** A request to count. */
export interface CountedBody {
  readonly api: ApiName
  readonly hasMedia: boolean
  readonly bytes: Buffer
  readonly spans: ReadonlyMap<string, MemberSpan>
  /** The upstream's name of the model. */
  readonly model: string
}

/** What a counter needs of an upstream. */
export interface CountingUpstream {
  readonly baseUrl: URL
  /** With the credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly credential: string | null
}

/** A `POST` of JSON. Never log it. */
export interface CountCall {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Counter {
  /** The APIs whose requests it counts. */
  readonly apis: readonly ApiName[]
  /** The members of a request that it counts. */
  readonly members: readonly string[]
  readonly call: (upstream: CountingUpstream, model: string, members: string) => CountCall
  /** The member of the answer with the number. */
  readonly answer: string
  /** More tokens than the number may be billed: a share of it, and some. */
  readonly margin: readonly [share: number, tokens: number]
}

/** The base URL of an upstream with another path. @param change of its path, which has no slash at its end */
export function withPath(base: URL, change: (path: string) => string): URL {
  const whole = new URL(base)
  whole.pathname = change(whole.pathname.replace(/[/]+$/, ''))
  return whole
}

const withModel = (model: string, members: string): string => `{"model":${JSON.stringify(model)},${members}}`

/** A call that has the members of the request as they are. */
const sameMembers =
  (endpoint: string): Counter['call'] =>
  ({ baseUrl, headers }, model, members) => ({
    url: withPath(baseUrl, (path) => path + endpoint),
    headers,
    body: withModel(model, members)
  })

const counters: Readonly<Record<CounterName, Counter>> = {
  // Its count is an estimate that may differ by a small amount (platform.claude.com, "Token counting", 2026).
  anthropic: {
    apis: ['messages'],
    members: ['messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'cache_control'],
    call: sameMembers('/messages/count_tokens'),
    answer: 'input_tokens',
    margin: [0.02, 32]
  },
  openai: {
    apis: ['responses'],
    members: ['input', 'instructions', 'tools', 'tool_choice', 'text', 'reasoning', 'parallel_tool_calls'],
    call: sameMembers('/responses/input_tokens'),
    answer: 'input_tokens',
    margin: [0, 0]
  },
  // Its own API has requests of another form (ai.google.dev, "Counting tokens", 2026). So the JSON of the request is
  // counted as a text: what stands around the words there has more tokens than the model's template.
  gemini: {
    apis: ['chat'],
    members: ['messages', 'tools', 'tool_choice', 'response_format'],
    call: (upstream, model, members) => ({
      url: withPath(
        upstream.baseUrl,
        (path) => `${path.replace(/\/openai$/, '')}/models/${encodeURIComponent(model)}:countTokens`
      ),
      headers: { ...(upstream.credential !== null && { 'x-goog-api-key': upstream.credential }) },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: members }] }] })
    }),
    answer: 'totalTokens',
    margin: [0.02, 64]
  },
  // It renders the model's template (docs.vllm.ai, "serve/tokenize", 0.16).
  vllm: {
    apis: ['chat'],
    members: ['messages', 'tools', 'chat_template_kwargs'],
    call: (upstream, model, members) => ({
      url: withPath(upstream.baseUrl, (path) => `${path.replace(/\/v1$/, '')}/tokenize`),
      headers: upstream.headers,
      body: withModel(model, `"add_generation_prompt":true,${members}`)
    }),
    answer: 'count',
    margin: [0, 0]
  }
}

/** A request that a provider can count. */
export interface CountablePart {
  readonly call: CountCall
  /** Bytes of the request that the provider does not count. They are no more tokens than that. */
  readonly otherBytes: number
}

/**
 * What to send to an upstream's counter.
 *
 * @returns null if it does not count such requests
 */
export function countCall(
  name: CounterName,
  upstream: CountingUpstream,
  { api, hasMedia, bytes, spans, model }: CountedBody
): CountablePart | null {
  const { apis, members: names, call } = counters[name]
  // What an address has may change after it was counted, and a counter may not know the tokens of media.
  if (!apis.includes(api) || hasMedia) return null
  const parts = names.map((member) => spans.get(member)).filter((span) => span !== undefined)
  if (parts.length === 0) return null
  const members = parts.map((span) => `${JSON.stringify(span.name)}:${bytes.toString('utf8', span.start, span.end)}`)
  return {
    call: call(upstream, model, members.join(',')),
    otherBytes: parts.reduce((rest, { start, end }) => rest - (end - start), bytes.length)
  }
}

/** Reads an answer of a counter, with its margin. @returns null if it has no number */
export function countedTokens(name: CounterName, answer: string): number | null {
  const { answer: member, margin } = counters[name]
  let tokens: unknown
  try {
    tokens = memberOf(JSON.parse(answer), member)
  } catch {
    return null
  }
  if (!Number.isSafeInteger(tokens) || (tokens as number) < 1) return null
  return Math.ceil((tokens as number) * (1 + margin[0])) + margin[1]
}

/** Hosts of providers with a counter. */
const hosts: ReadonlyArray<readonly [RegExp, CounterName]> = [
  [/(^|\.)anthropic\.com$/i, 'anthropic'],
  [/(^|\.)openai\.com$/i, 'openai'],
  [/(^|\.)generativelanguage\.googleapis\.com$/i, 'gemini']
]

/** The counter of a provider by its host; null if it is not known to have one. */
export const counterOfHost = (hostname: string): CounterName | null =>
  hosts.find(([host]) => host.test(hostname))?.[1] ?? null
