import { ApiError } from './api-error.ts'
import { type Operations, paths } from './operations.ts'

export type OperationName = keyof Operations
/** Operations that create a secret. Their idempotency key makes a repeat safe after a lost response. */
type Repeatable = 'createKey' | 'rotateKey'
export type Input<Name extends OperationName> = Omit<Operations[Name], 'answer'> &
  (Name extends Repeatable ? { readonly idempotencyKey: string } : unknown)
export type Answer<Name extends OperationName> = Operations[Name]['answer']
/** The input can be omitted if the operation needs none. */
export type InputArguments<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>]

interface AnyInput {
  readonly params?: Record<string, string>
  readonly query?: Record<string, string | undefined>
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

/** The router and the pages handle `not_authenticated` from these themselves. */
const sessionChecks: ReadonlySet<OperationName> = new Set(['getUser', 'getAccount'])

const session: { onEnd: () => void } = { onEnd: () => {} }

/** @param onEnd called when a call fails because the session has ended */
export function onSessionEnd(onEnd: () => void): void {
  session.onEnd = onEnd
}

/**
 * Calls an operation of control's API with the session cookie.
 *
 * @throws ApiError
 */
export async function call<Name extends OperationName>(
  name: Name,
  ...rest: InputArguments<Name>
): Promise<Answer<Name>> {
  return send(name, rest[0] as AnyInput | undefined)
}

/** Like {@link call}, with a signal that aborts the request. */
export async function send<Name extends OperationName>(
  name: Name,
  { params = {}, query = {}, body, idempotencyKey }: AnyInput = {},
  signal?: AbortSignal
): Promise<Answer<Name>> {
  const [method, template] = paths[name]
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
  if (response.ok && answer !== null) return answer as Answer<Name>
  const failure = toFailure(response, answer)
  if (failure.code === 'not_authenticated' && !sessionChecks.has(name)) session.onEnd()
  throw failure
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
