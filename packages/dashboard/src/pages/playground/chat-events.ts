/** One item of a streamed chat. */
export type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'usage'; readonly usage: TokenUsage }
  | { readonly kind: 'failure'; readonly message: string }
  | { readonly kind: 'end' }

export interface TokenUsage {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
}

interface Chunk {
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
 * Reads one event of a stream. It can hold several items: some providers send usage with the last text.
 *
 * @param data the `data:` of the event; unknown data yields nothing
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
  message: message ?? 'The stream failed. Send the message again.'
})

const toUsage = (usage: NonNullable<Chunk['usage']>): TokenUsage => ({
  promptTokens: usage.prompt_tokens ?? 0,
  cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
  completionTokens: usage.completion_tokens ?? 0,
  reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0
})

export interface Prices {
  readonly input: number
  readonly cached_input: number
  readonly output: number
  readonly reasoning: number
}

/**
 * The cost of a call in dollars, computed like the gateway does.
 *
 * @param prices dollars per million tokens
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
