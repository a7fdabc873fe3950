/** One item of a streamed chat. */
export type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'usage'; readonly usage: TokenUsage }
  | { readonly kind: 'cut' }
  | { readonly kind: 'failure'; readonly code: string; readonly message: string }
  | { readonly kind: 'end' }

export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
}

interface Chunk {
  readonly error?: { readonly message?: string; readonly code?: string } | null
  readonly choices?: ReadonlyArray<{
    readonly delta?: { readonly content?: string | null }
    readonly finish_reason?: string | null
  }>
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null
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
  const choice = chunk.choices?.[0]
  const text = choice?.delta?.content ?? ''
  return [
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
    ...(choice?.finish_reason === 'length' ? [{ kind: 'cut' } as const] : []),
    ...(chunk.usage == null ? [] : [{ kind: 'usage', usage: toUsage(chunk.usage) } as const]),
    ...(chunk.error == null ? [] : [toFailure(chunk.error)])
  ]
}

const toFailure = ({ message, code }: NonNullable<Chunk['error']>): ChatEvent => ({
  kind: 'failure',
  code: code ?? 'stream_failed',
  message: message ?? 'The stream failed. Try again.'
})

const toUsage = (usage: NonNullable<Chunk['usage']>): TokenUsage => ({
  promptTokens: usage.prompt_tokens ?? 0,
  completionTokens: usage.completion_tokens ?? 0
})

/** The cost in dollars from the gateway's comment after a stream; null for other comments. */
export const readCost = (comment: string): string | null =>
  /^x-tollgate-cost (\d+(?:\.\d+)?)$/.exec(comment.trim())?.[1] ?? null
