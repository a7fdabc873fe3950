/** One item of a streamed chat. */
type ChatEvent =
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

interface Usage {
  readonly input_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
  readonly output_tokens?: number
}

interface Event {
  readonly type?: string
  readonly message?: { readonly usage?: Usage }
  readonly delta?: { readonly type?: string; readonly text?: string; readonly stop_reason?: string | null }
  readonly usage?: Usage
  readonly error?: { readonly message?: string; readonly details?: { readonly error_code?: string } | null }
}

/**
 * Reads the events of a stream of Anthropic's Messages API, in their order: the first one has the tokens of the prompt.
 *
 * @returns a function that takes the `data:` of an event; unknown data yields nothing
 */
export function createMessageReader(): (data: string) => ChatEvent[] {
  let promptTokens = 0
  return (data) => {
    const event = parse(data)
    switch (event.type) {
      case 'message_start':
        promptTokens = promptTokensOf(event.message?.usage ?? {})
        return []
      case 'content_block_delta':
        return event.delta?.type === 'text_delta' ? [{ kind: 'text', text: event.delta.text ?? '' }] : []
      case 'message_delta':
        return [
          ...(event.delta?.stop_reason === 'max_tokens' ? [{ kind: 'cut' } as const] : []),
          { kind: 'usage', usage: { promptTokens, completionTokens: event.usage?.output_tokens ?? 0 } }
        ]
      case 'message_stop':
        return [{ kind: 'end' }]
      case 'error':
        return [
          {
            kind: 'failure',
            code: event.error?.details?.error_code ?? 'stream_failed',
            message: event.error?.message ?? 'The stream failed. Try again.'
          }
        ]
      default:
        return []
    }
  }
}

function parse(data: string): Event {
  try {
    return (JSON.parse(data) as Event | null) ?? {}
  } catch {
    return {}
  }
}

const promptTokensOf = ({
  input_tokens: fresh = 0,
  cache_read_input_tokens: read = 0,
  cache_creation_input_tokens: written = 0
}: Usage): number => fresh + read + written
