import { type ErrorCode, type ErrorType, errorTable } from './table.ts'

/** The body of every failed answer of both services. Some codes have members of their own besides. */
export type ErrorBody = { error: { message: string; type: ErrorType; code: ErrorCode } & ErrorDetails }
export type ErrorDetails = Readonly<Record<string, string>>

/** Seconds that clients are asked to wait when a dependency is away: long enough for SDKs' default retries to bridge a short failover. */
export const dependencyRetrySeconds = 2

type Options = {
  /** Replaces the table's public message, for instance to name a field. Never internal detail. */
  message?: string
  /** For the log only, never sent. */
  cause?: unknown
  /** Seconds for the `Retry-After` header; 503 has {@link dependencyRetrySeconds} unless given. */
  retryAfter?: number
  /** The same in milliseconds, where the wait is known that precisely; sets `retryAfter` too. */
  retryAfterMs?: number
  /** Further members of the error. */
  details?: ErrorDetails
  /** Further headers of the answer, by their names in lower case. */
  headers?: Readonly<Record<string, string>>
}

/** A failure that the caller is told about. Status, type and message come from the one table. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  /** Seconds. */
  readonly retryAfter: number | null
  readonly retryAfterMs: number | null
  readonly details: ErrorDetails
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, options: Options = {}) {
    super(options.message ?? errorTable[code][2], options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
    const { retryAfterMs = null } = options
    this.retryAfterMs = retryAfterMs
    if (retryAfterMs !== null) this.retryAfter = Math.max(1, Math.ceil(retryAfterMs / 1000))
    else this.retryAfter = options.retryAfter ?? (errorTable[code][0] === 503 ? dependencyRetrySeconds : null)
  }

  get status(): number {
    return errorTable[this.code][0]
  }

  toBody(): ErrorBody {
    return { error: { message: this.message, type: errorTable[this.code][1], code: this.code, ...this.details } }
  }
}
