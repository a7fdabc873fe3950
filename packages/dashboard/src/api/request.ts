import { ApiError } from './api-error.ts'

export interface RequestInput {
  /** Values for the `{…}` parts of the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly idempotencyKey?: string
}

const unreachable = 'The server cannot be reached. Check your connection and try again.'
const tooSlow = {
  reading: 'The server did not answer in time. Try again in a moment.',
  changing: 'The server did not answer in time. The change may still have been made: check before you try again.'
}
const unreadable = 'The server sent an unexpected answer. Try again in a moment.'

/** Longer than the API waits for its own dependencies. A browser on its own would wait for minutes. */
const timeoutMs = 30_000

/**
 * Sends a request to control's API with the session cookie.
 *
 * @param template a path with its parameters in braces
 * @param signal aborts the request
 * @returns the parsed body of the answer
 * @throws ApiError
 */
export async function sendRequest(
  method: string,
  template: string,
  { params = {}, query = {}, body, idempotencyKey }: RequestInput,
  signal?: AbortSignal
): Promise<unknown> {
  const path = template.replace(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(params[parameter] ?? ''))
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  const deadline = AbortSignal.timeout(timeoutMs)
  let response: Response
  let text: string
  try {
    response = await fetch(path + search, {
      method,
      credentials: 'same-origin',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey })
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline])
    })
    text = await response.text()
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw deadline.aborted
      ? new ApiError(0, 'too_slow', method === 'GET' ? tooSlow.reading : tooSlow.changing)
      : new ApiError(0, 'unreachable', unreachable)
  }
  const answer = parse(text)
  if (response.ok && answer !== null) return answer
  throw toFailure(response, answer)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function toFailure({ status, headers }: Response, answer: unknown): ApiError {
  const { error, key } = (answer ?? {}) as {
    error?: { message?: unknown; code?: unknown }
    key?: { id?: unknown }
  }
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  const seconds = Number.isFinite(retryAfter) ? retryAfter : null
  const keyId = typeof key?.id === 'string' ? key.id : null
  return typeof error?.message === 'string' && typeof error.code === 'string'
    ? new ApiError(status, error.code, error.message, seconds, keyId)
    : new ApiError(status, 'unreadable', unreadable, seconds)
}
