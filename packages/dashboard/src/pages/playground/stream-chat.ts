import { ApiError } from '../../api/api-error.ts'
import type { Message } from '../../snippets/write-snippets.ts'
import { readChatEvents, type TokenUsage } from './chat-events.ts'
import { readEvents } from './read-events.ts'

export interface Gateway {
  readonly url: string
  readonly key: string
}

const unreachable = 'The gateway cannot be reached. Check that it is running, then try again.'

/** Lists the models that a key may call. @throws ApiError */
export async function listModels({ url, key }: Gateway, signal: AbortSignal): Promise<string[]> {
  const response = await ask(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` }, signal })
  const { data } = (await response.json()) as { data: Array<{ id: string }> }
  return data.map(({ id }) => id)
}

export interface ChatRequest {
  readonly model: string
  readonly messages: readonly Message[]
}

/**
 * Streams a chat completion.
 *
 * @param onText receives each piece of the output
 * @returns the usage of the call; null if the stream has none
 * @throws ApiError, also if the stream ends early; the signal's reason after an abort
 */
export async function streamChat(
  { url, key }: Gateway,
  request: ChatRequest,
  onText: (text: string) => void,
  signal: AbortSignal
): Promise<TokenUsage | null> {
  const response = await ask(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, stream: true, stream_options: { include_usage: true } }),
    signal
  })
  let usage: TokenUsage | null = null
  for await (const data of readEvents(piecesOf(response, signal))) {
    for (const event of readChatEvents(data)) {
      if (event.kind === 'text') onText(event.text)
      else if (event.kind === 'usage') usage = event.usage
      else if (event.kind === 'failure') throw new ApiError(response.status, 'stream_failed', event.message)
      else return usage
    }
  }
  throw new ApiError(response.status, 'stream_failed', 'The answer ended early. Send the message again.')
}

async function ask(url: string, options: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, { ...options, credentials: 'omit' })
  } catch (error) {
    if (options.signal?.aborted === true) throw error
    throw new ApiError(0, 'unreachable', unreachable)
  }
  if (response.ok) return response
  const { error } = ((await response.json().catch(() => null)) ?? {}) as { error?: { message?: string; code?: string } }
  throw new ApiError(response.status, error?.code ?? 'unreadable', error?.message ?? unreachable)
}

/** Reads a response body. Not every browser supports async iteration of it. */
async function* piecesOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
  } catch (error) {
    if (signal.aborted) throw error
    throw new ApiError(0, 'unreachable', 'The connection to the gateway was lost. Send the message again.')
  } finally {
    reader.releaseLock()
  }
}
