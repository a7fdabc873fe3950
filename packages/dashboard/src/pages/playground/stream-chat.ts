import { createParser } from 'eventsource-parser'
import { ApiError } from '../../api/api-error.ts'
import { type ChatApi, defaultMaxTokens } from '../../chat-models/chat-api.ts'
import { type Message, splitSystem } from '../../snippets/snippet-options.ts'
import { createMessageReader, readChatEvents, readCost, type TokenUsage } from './chat-events.ts'

export interface ChatRequest {
  readonly api: ChatApi
  readonly model: string
  readonly messages: readonly Message[]
  readonly temperature?: number
  readonly max_tokens?: number
}

export interface Gateway {
  readonly url: string
  readonly token: string
}

/** What a stream says while it runs. */
export interface ChatListener {
  onStart(requestId: string | null): void
  onText(text: string): void
}

export interface ChatResult {
  /** Null if the stream has none. */
  readonly usage: TokenUsage | null
  readonly costUsd: string | null
  readonly isCut: boolean
}

const unreachable = 'The gateway cannot be reached. Check your internet connection, then try again.'
const unreadable = 'The gateway cannot answer right now. Try again in a few seconds.'

/** How each API is asked, and how its events are read. */
const apis = {
  chat: {
    path: '/v1/chat/completions',
    headers: {},
    bodyOf: ({ api: _, ...request }: ChatRequest) => ({ ...request, stream_options: { include_usage: true } }),
    reader: () => readChatEvents
  },
  messages: {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    bodyOf: ({ api: _, messages, max_tokens = defaultMaxTokens, ...request }: ChatRequest) => {
      const { system, others } = splitSystem(messages)
      return { ...request, max_tokens, messages: others, ...(system !== undefined && { system }) }
    },
    reader: createMessageReader
  }
} as const satisfies Record<ChatApi, unknown>

/**
 * Streams the answer of a model.
 *
 * @throws ApiError, also if the stream ends early; the signal's reason after an abort
 */
export async function streamChat(
  { url, token }: Gateway,
  request: ChatRequest,
  listener: ChatListener,
  signal: AbortSignal
): Promise<ChatResult> {
  const { path, headers, bodyOf, reader } = apis[request.api]
  const response = await ask(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-tollgate-cost': 'true',
      ...headers
    },
    body: JSON.stringify({ ...bodyOf(request), stream: true }),
    signal
  })
  const readEvents = reader()
  listener.onStart(response.headers.get('x-request-id'))
  let result: ChatResult = { usage: null, costUsd: null, isCut: false }
  let isDone = false
  let failure: ApiError | null = null
  const parser = createParser({
    onComment: (comment) => {
      const costUsd = readCost(comment)
      if (costUsd !== null) result = { ...result, costUsd }
    },
    onEvent: ({ data }) => {
      for (const event of readEvents(data)) {
        if (event.kind === 'text') listener.onText(event.text)
        else if (event.kind === 'usage') result = { ...result, usage: event.usage }
        else if (event.kind === 'cut') result = { ...result, isCut: true }
        else if (event.kind === 'failure') failure ??= new ApiError(response.status, event.code, event.message)
        else isDone = true
      }
    }
  })
  try {
    // The cost comes after the last event.
    for await (const piece of piecesOf(response, signal)) parser.feed(piece)
  } catch (error) {
    if (!isDone) throw error
  }
  if (failure !== null) throw failure
  if (!isDone) throw new ApiError(response.status, 'stream_failed', 'The answer ended early. Try again.')
  return result
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
  const { error = {} } = ((await response.json().catch(() => null)) ?? {}) as {
    error?: { message?: string; code?: string; scope?: string }
  }
  const { code = 'unreadable', message = unreadable, scope = null } = error
  throw new ApiError(response.status, code, message, null, null, scope)
}

/** Reads a response body as text. Not every browser supports async iteration of it. */
async function* piecesOf({ body }: Response, signal: AbortSignal): AsyncGenerator<string> {
  const reader = body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      yield decoder.decode(piece.value, { stream: true })
    }
  } catch (error) {
    if (signal.aborted) throw error
    throw new ApiError(
      0,
      'unreachable',
      'The connection to the gateway was lost. Check your connection, then try again.'
    )
  } finally {
    reader.releaseLock()
  }
}
