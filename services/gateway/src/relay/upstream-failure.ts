import { dependencyRetrySeconds, ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { CallError } from '../upstreams/call-error.ts'

/** Seconds that a client is asked to wait when the upstream is rate limiting and does not say how long. */
const defaultRetrySeconds = 5
const maxRetrySeconds = 3600

/** Statuses of an upstream that are about the client's request itself and reach it as they are. */
export function isAboutTheRequest(status: number): boolean {
  return status === 400 || status === 404 || status === 413 || status === 422
}

/** Statuses that may be others a moment later, or at another upstream. */
export function isWorthARetry(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500
}

/** What a client is told when an upstream answers with a status that is not about its request. */
export function failureOfStatus(status: number, retryAfter: string | undefined): ServiceError {
  if (status === 401 || status === 403) return new ServiceError('upstream_rejected_credentials')
  if (status === 429) return new ServiceError('upstream_rate_limited', { retryAfter: retrySeconds(retryAfter) })
  if (status === 408 || status === 504) return new ServiceError('upstream_timeout')
  return new ServiceError('upstream_error', { cause: new Error(`the upstream answered ${status}`) })
}

/**
 * Whether another attempt may help after a call that broke off before anything of its answer had come. It would wait as
 * long again for an upstream that is too slow.
 */
export function isErrorWorthARetry(cause: Error): boolean {
  return !(
    cause instanceof CallError &&
    (cause.code === 'first_byte_timeout' || cause.code === 'between_chunks_timeout')
  )
}

/** What a client is told when a call of an upstream failed. */
export function failureOfError(cause: Error): ServiceError {
  const code = cause instanceof CallError ? cause.code : null
  switch (code) {
    case 'connect_timeout':
    case 'first_byte_timeout':
    case 'between_chunks_timeout':
      return new ServiceError('upstream_timeout', { cause })
    case 'not_connected':
      return new ServiceError('upstream_unreachable', { cause })
    default:
      return new ServiceError('upstream_error', { cause })
  }
}

/** The seconds that a client is asked to wait, from an upstream's `Retry-After`. */
export function retrySeconds(header: string | undefined, now: number = Date.now()): number {
  const seconds = readRetryAfter(header, now)
  return seconds === null ? defaultRetrySeconds : Math.max(Math.ceil(seconds), dependencyRetrySeconds)
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), as seconds within bounds; null if there is none. */
export function readRetryAfter(header: string | undefined, now: number = Date.now()): number | null {
  if (header === undefined) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), maxRetrySeconds) : null
}

/**
 * The error body for a refusal of the upstream that is about the request: its own message, type, code and other members
 * where it has them in OpenAI's shape, in our shape in any case.
 *
 * @param secret what must not be passed on, should the upstream repeat it
 */
export function describeRefusal(body: Buffer, secret: string | null): { error: Record<string, unknown> } {
  const fallback = {
    message: 'The upstream provider refused the request.',
    type: 'invalid_request_error',
    code: 'invalid_request'
  }
  if (secret !== null && body.includes(secret)) return { error: fallback }
  let parsed: unknown
  try {
    parsed = JSON.parse(body.toString())
  } catch {
    return { error: fallback }
  }
  const outer = isObject(parsed) ? parsed : {}
  const inner = isObject(outer.error) ? outer.error : outer
  const message = [inner.message, outer.error, outer.detail].find((text) => typeof text === 'string')
  return {
    error: {
      ...(inner === outer.error ? inner : {}),
      message: message ?? fallback.message,
      type: typeof inner.type === 'string' ? inner.type : fallback.type,
      code: typeof inner.code === 'string' ? inner.code : fallback.code
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
