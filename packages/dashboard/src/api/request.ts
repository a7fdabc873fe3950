import createClient from 'openapi-fetch'
import { ApiError } from './api-error.ts'
import { noteServerTime } from './clock.ts'

export interface RequestInput {
  /** Values for the `{…}` parts of the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly idempotencyKey?: string
}

export const unreachable = 'The server cannot be reached. Check your connection and try again.'
const tooSlow = {
  reading: 'The server did not answer in time. Try again in a moment.',
  changing: 'The server did not answer in time. The change may still have been made: check before you try again.'
}
export const unreadable = 'The server sent an unexpected answer. Try again in a moment.'

/** Longer than the API waits for its own dependencies. A browser on its own would wait for minutes. */
const timeoutMs = 30_000

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
/** Any operation; the callers know the types of theirs. */
interface AnyOperation {
  parameters: { path: RequestInput['params']; query?: RequestInput['query'] }
  requestBody?: { content: { 'application/json': unknown } }
  responses: {
    200: { content: { 'application/json': unknown } }
    default: { content: { 'application/json': unknown } }
  }
}

const latest = { gotAnswer: true }

/** Whether the latest request got an answer; true before the first. */
export const isReachable = (): boolean => latest.gotAnswer

const client = createClient<Record<string, Record<Method, AnyOperation>>>({ credentials: 'same-origin' })

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
  const deadline = AbortSignal.timeout(timeoutMs)
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  try {
    const { data, error, response } = await client.request(method.toLowerCase() as Method, template, {
      params: { path: params, query },
      body,
      headers,
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline])
    })
    latest.gotAnswer = true
    noteServerTime(response.headers.get('date'))
    if (response.ok && data != null) return data
    throw toFailure(response, error)
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted === true) throw error
    // The body of a successful answer is not JSON.
    if (error instanceof SyntaxError) throw new ApiError(502, 'unreadable', unreadable)
    latest.gotAnswer = false
    throw deadline.aborted
      ? new ApiError(0, 'too_slow', method === 'GET' ? tooSlow.reading : tooSlow.changing)
      : new ApiError(0, 'unreachable', unreachable)
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
