import { countOf } from '../format/number.ts'

/** A failed API call, with the API's error if it sent one. */
export class ApiError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number
  /**
   * A code of the API's error table; `unreachable` or `too_slow` without a response, `unreadable` if it is not from the
   * API.
   */
  readonly code: string
  /** The `Retry-After` header; null without one. */
  readonly retryAfterSeconds: number | null
  /** With `already_created`: the id of the key that an earlier attempt created. */
  readonly keyId: string | null
  /** Of an exceeded budget: `key`, `account` or `member`. Null for other errors. */
  readonly scope: string | null

  constructor(
    status: number,
    code: string,
    message: string,
    retryAfterSeconds: number | null = null,
    keyId: string | null = null,
    scope: string | null = null
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.keyId = keyId
    this.scope = scope
  }

  /** Whether no answer of the API arrived. The call may have done its work. */
  get isAnswerLost(): boolean {
    return this.status === 0 || this.code === 'unreadable'
  }

  /** Whether the same call may succeed if it is repeated. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

export const isCode = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code

/**
 * Ignores that something to be deleted is already gone, such as after an attempt whose answer was lost.
 *
 * @throws all other errors
 */
export function allowGone(error: unknown): null {
  if (isCode(error, 'not_found')) return null
  throw error
}

/**
 * Adds a hint to a failure whose call may have done its work, and must not be repeated blindly.
 *
 * @param hint how to see what is the case
 */
export const withHintIfLost = (error: unknown, hint: string): unknown =>
  error instanceof ApiError && error.isAnswerLost
    ? new ApiError(error.status, error.code, `${error.message} ${hint}`, error.retryAfterSeconds)
    : error

/** The message to show for a failure. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong. Reload the page and try again.'
  if (error.status !== 429) return error.message
  const seconds = error.retryAfterSeconds
  return seconds === null ? error.message : `Too many attempts. Try again in ${describeWait(seconds)}.`
}

/** Rounds up, so that a retry after this time is not too early. */
function describeWait(seconds: number): string {
  return seconds < 120 ? countOf(Math.ceil(seconds), 'second') : countOf(Math.ceil(seconds / 60), 'minute')
}
