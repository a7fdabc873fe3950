import { ApiError } from '../../api/api-error.ts'
import type { Message } from '../../snippets/write-snippets.ts'
import { readChatEvents, type TokenUsage } from './chat-events.ts'
import { readEvents } from './read-events.ts'

export type Gateway = { readonly url: string; readonly key: string }

const unreachable = 'The gateway cannot be reached. Check that it runs, and try again.'

/** Names of the models that a key may call. @throws ApiError */
export async function listModels({ url, key }: Gateway, signal: AbortSignal): Promise<string[]> {
  const response = await ask(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` }, signal })
  const { data } = (await response.json()) as { data: Array<{ id: string }> }
  return data.map(({ id }) => id)
}

export type ChatRequest = { readonly model: string; readonly messages: readonly Message[] }

/**
 * Streams a chat.
 *
 * @param onText gets each piece of the answer
 * @returns what the call used; null if the stream did not say
 * @throws ApiError, also for a stream that breaks off; or what the signal was aborted with
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
  throw new ApiError(response.status, 'stream_failed', 'The answer broke off.')
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

/** Not every browser lets a body be iterated. */
async function* piecesOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
  } catch (error) {
    if (signal.aborted) throw error
    throw new ApiError(0, 'unreachable', 'The connection to the gateway broke off.')
  } finally {
    reader.releaseLock()
  }
}
