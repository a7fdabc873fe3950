import type { RefusedAmounts } from './refused-amounts.ts'
import { type ErrorCode, type ErrorType, errorTable } from './table.ts'

/** The body of every error of both services. Some codes have further members. */
export interface ErrorBody {
  error: { message: string; type: ErrorType; code: ErrorCode } & ErrorDetails
}
export type ErrorDetails = Readonly<Record<string, string>>

/** `Retry-After` of a 503, seconds. Two waits of it, which SDKs make by default, outlast a short failover. */
export const dependencyRetrySeconds = 2

interface Options {
  /**
   * Replaces the table's message, for instance to name a field. It is public, so it must not contain internal details.
   */
  message?: string
  /** Logged, never sent. */
  cause?: unknown
  /** Seconds for the `Retry-After` header. Default for a 503: {@link dependencyRetrySeconds}. */
  retryAfter?: number
  /** The wait in milliseconds, if it is known precisely. It also sets `retryAfter`. */
  retryAfterMs?: number
  /** Further members of the error. */
  details?: ErrorDetails
  /** Further headers of the answer, by their names in lower case. */
  headers?: Readonly<Record<string, string>>
  /** The amounts for which a request was refused. Receipts have them. */
  refused?: RefusedAmounts
}

/** An error for the client. Status, type and message come from the error table. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  /** Seconds. */
  readonly retryAfter: number | null
  readonly retryAfterMs: number | null
  readonly details: ErrorDetails
  readonly headers: Readonly<Record<string, string>>
  readonly refused: RefusedAmounts | null

  constructor(code: ErrorCode, options: Options = {}) {
    super(options.message ?? errorTable[code][2], options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
    this.refused = options.refused ?? null
    const { retryAfterMs = null } = options
    this.retryAfterMs = retryAfterMs
    if (retryAfterMs !== null) this.retryAfter = Math.max(1, Math.ceil(retryAfterMs / 1000))
    else this.retryAfter = options.retryAfter ?? (errorTable[code][0] === 503 ? dependencyRetrySeconds : null)
  }

  get status(): number {
    return errorTable[this.code][0]
  }

  /**
   * @param docsUrl the operator's documentation, without a slash at its end. The body then links to the code's entry.
   */
  toBody(docsUrl: string | null = null): ErrorBody {
    const { message, code, details } = this
    const error = { message, type: errorTable[code][1], code, ...details }
    return { error: docsUrl === null ? error : { ...error, doc_url: `${docsUrl}/errors/${code}` } }
  }
}
