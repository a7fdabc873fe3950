/** Something that a streamed chat says. */
export type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'usage'; readonly usage: TokenUsage }
  | { readonly kind: 'failure'; readonly message: string }
  | { readonly kind: 'end' }

export type TokenUsage = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
}

type Chunk = {
  readonly error?: { readonly message?: string } | null
  readonly choices?: ReadonlyArray<{ readonly delta?: { readonly content?: string | null } }>
  readonly usage?: {
    readonly prompt_tokens?: number
    readonly completion_tokens?: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null
  } | null
}

/**
 * What one event of a stream says: nothing, one thing, or several, since some providers send usage with the last text.
 *
 * @param data of the event; what is not understood says nothing
 */
export function readChatEvents(data: string): ChatEvent[] {
  if (data === '[DONE]') return [{ kind: 'end' }]
  let chunk: Chunk | null
  try {
    chunk = JSON.parse(data) as Chunk | null
  } catch {
    return []
  }
  if (chunk === null) return []
  const text = chunk.choices?.[0]?.delta?.content ?? ''
  return [
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
    ...(chunk.usage == null ? [] : [{ kind: 'usage', usage: toUsage(chunk.usage) } as const]),
    ...(chunk.error == null ? [] : [toFailure(chunk.error)])
  ]
}

const toFailure = ({ message }: NonNullable<Chunk['error']>): ChatEvent => ({
  kind: 'failure',
  message: message ?? 'The stream failed.'
})

const toUsage = (usage: NonNullable<Chunk['usage']>): TokenUsage => ({
  promptTokens: usage.prompt_tokens ?? 0,
  cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
  completionTokens: usage.completion_tokens ?? 0,
  reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0
})

export type Prices = {
  readonly input: number
  readonly cached_input: number
  readonly output: number
  readonly reasoning: number
}

/**
 * What a call costs, in dollars, as the gateway reckons it.
 *
 * @param prices in dollars a million tokens
 */
export function costUsd(usage: TokenUsage, prices: Prices): number {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usage
  const millionths =
    (promptTokens - cachedTokens) * prices.input +
    cachedTokens * prices.cached_input +
    (completionTokens - reasoningTokens) * prices.output +
    reasoningTokens * prices.reasoning
  return millionths / 1e6
}
