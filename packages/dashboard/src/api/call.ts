import { ApiError } from './api-error.ts'
import { type Operations, paths } from './operations.ts'

export type OperationName = keyof Operations
/** What makes a secret is asked for under a name, so that a try whose answer was lost can be repeated. */
type Repeatable = 'createKey' | 'rotateKey'
export type Input<Name extends OperationName> = Omit<Operations[Name], 'answer'> &
  (Name extends Repeatable ? { readonly idempotencyKey: string } : unknown)
export type Answer<Name extends OperationName> = Operations[Name]['answer']
/** Nothing has to be given for an operation all of whose input may be left out. */
export type InputArguments<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>]

type AnyInput = {
  readonly params?: Record<string, string>
  readonly query?: Record<string, string | undefined>
  readonly body?: unknown
  readonly idempotencyKey?: string
}

const unreachable = 'The server cannot be reached. Check your connection and try again.'
const tooSlow = {
  reading: 'The server has not answered in time. Try again in a moment.',
  changing: 'The server has not answered in time. It may do what was asked all the same: look before you try again.'
}
const unreadable = 'The server answered something that this page does not understand. Try again in a moment.'

/** Longer than the API waits for what it depends on. A browser alone would wait for minutes. */
const patienceMs = 30_000

/** Asked before a page is shown: whoever asks deals with a no. */
const asksWhoIsSignedIn: ReadonlySet<OperationName> = new Set(['getUser', 'getAccount'])

const session: { onEnd: () => void } = { onEnd: () => {} }

/** @param onEnd is called when a call is refused because nobody is signed in any more */
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

/** As {@link call}; the signal ends it. */
export async function send<Name extends OperationName>(
  name: Name,
  { params = {}, query = {}, body, idempotencyKey }: AnyInput = {},
  signal?: AbortSignal
): Promise<Answer<Name>> {
  const [method, template] = paths[name]
  const path = template.replace(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(params[parameter] ?? ''))
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  const deadline = AbortSignal.timeout(patienceMs)
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
  if (failure.code === 'not_authenticated' && !asksWhoIsSignedIn.has(name)) session.onEnd()
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
