import { countOf } from '../format/number.ts'

/** A call that failed: what the API said, or that nothing was said at all. */
export class ApiError extends Error {
  /** 0 when there was no answer. */
  readonly status: number
  /** As in the API's table of errors; `unreachable` or `too_slow` when there was no answer, `unreadable` for one that is not the API's. */
  readonly code: string
  /** How long the API asks to wait, if it does. */
  readonly retryAfterSeconds: number | null
  /** With `already_created`: the id of the key that an earlier try made. */
  readonly keyId: string | null

  constructor(
    status: number,
    code: string,
    message: string,
    retryAfterSeconds: number | null = null,
    keyId: string | null = null
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.keyId = keyId
  }

  /** Whether the same call may succeed in a moment. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

export const isCode = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code

/** What to tell a person about a failure. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong in this page. Reload it and try again.'
  if (error.status !== 429) return error.message
  const seconds = error.retryAfterSeconds
  return seconds === null ? error.message : `Too many attempts. Try again in ${describeWait(seconds)}.`
}

/** Never shorter than it is. */
function describeWait(seconds: number): string {
  return seconds < 120 ? countOf(Math.ceil(seconds), 'second') : countOf(Math.ceil(seconds / 60), 'minute')
}
