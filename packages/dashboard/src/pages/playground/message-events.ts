import type { ChatEvent } from './chat-events.ts'

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
