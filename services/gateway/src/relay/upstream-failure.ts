import { dependencyRetrySeconds, ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { CallError } from '../upstreams/call-error.ts'
import type { AnswerHead } from '../upstreams/upstream-pool.ts'
import type { RetryScope } from './may-retry.ts'
import { isOutOfCredit } from './out-of-credit.ts'
import { type RefusalReason, unexplained } from './read-refusal.ts'

/** Seconds that a client is asked to wait when the upstream is rate limiting and does not say how long. */
const defaultRetrySeconds = 5
const maxWaitMs = 3_600_000
/** How long an upstream is asked last that only its operator can make work again. */
const unusableMs = 30_000

/**
 * About the request: its content (400, 413, 415, 422, 431), its model (404, 410), or the law (451). Providers answer other
 * 4xx to how the gateway calls them.
 */
const aboutTheRequest: ReadonlySet<number> = new Set([400, 404, 410, 413, 415, 422, 431, 451])
/**
 * May be otherwise a moment later: 424 is a failed generation (text-generation-inference, Bedrock); 498 and 499 are Groq's
 * for no capacity and a cancelled call (console.groq.com/docs/errors).
 */
const momentary: ReadonlySet<number> = new Set([408, 409, 424, 425, 429, 498, 499])

/** Statuses of an upstream that reach the client as they are, unless the upstream says that its operator has to pay. */
export function isAboutTheRequest(status: number): boolean {
  return aboutTheRequest.has(status)
}

/** Whether the body of an answer has to be read before it is known what to do. */
export function needsReason(status: number): boolean {
  return isAboutTheRequest(status) || status === 401 || status === 403 || status === 429
}

/** What to make of a failed call. */
export type Failed = {
  failure: ServiceError
  scope: RetryScope
  /** How long the upstream's model is not called again if there are others; 0 if it may be at once. */
  restMs: number
}

/**
 * What to make of a status that is no success.
 *
 * @param reason what the body says; if it was not read, nothing
 * @param waitMs how long the upstream asks to wait; null if it does not
 * @returns null for a refusal that is about the client's request
 */
export function judgeStatus(
  status: number,
  reason: RefusalReason = unexplained,
  waitMs: number | null = null
): Failed | null {
  if (isOutOfCredit(status, reason) || (status === 402 && waitMs === null)) {
    return unusable(new ServiceError('upstream_quota_exhausted', { cause: answered(status, reason) }))
  }
  if (isAboutTheRequest(status)) return null
  if (status === 401 || status === 403) {
    return unusable(new ServiceError('upstream_rejected_credentials', { cause: answered(status, reason) }))
  }
  const told = toldMs(waitMs)
  // OpenRouter: 402 with Retry-After is a budget of calls in flight.
  if (status === 402 || status === 429 || status === 498) {
    const wait = told === null ? { retryAfter: defaultRetrySeconds } : { retryAfterMs: told }
    const failure = new ServiceError('upstream_rate_limited', { ...wait, cause: answered(status, reason) })
    return { failure, scope: 'anywhere', restMs: waitMs ?? 0 }
  }
  const code = status === 408 || status === 504 ? 'upstream_timeout' : 'upstream_error'
  const failure = new ServiceError(code, {
    ...(told !== null && { retryAfterMs: told }),
    cause: answered(status, reason)
  })
  const scope = status >= 500 || momentary.has(status) ? 'anywhere' : 'elsewhere'
  return { failure, scope, restMs: waitMs ?? 0 }
}

function unusable(failure: ServiceError): Failed {
  return { failure, scope: 'elsewhere', restMs: unusableMs }
}

/** For the log: the provider's codes, but not its message, which may repeat a conversation. */
function answered(status: number, { code, type }: RefusalReason): Error {
  const names = [code, type].filter((name) => name !== null).join(', ')
  return new Error(`the upstream answered ${status}${names === '' ? '' : ` (${names})`}`)
}

/** The wait that clients are told of: not below what they are asked for when a dependency is away. */
function toldMs(waitMs: number | null): number | null {
  return waitMs === null ? null : Math.max(Math.ceil(waitMs), dependencyRetrySeconds * 1000)
}

/**
 * Where another attempt may help after a call that broke off before anything of its answer had come. It would wait as long
 * again for an upstream that is too slow.
 */
export function scopeOfError(cause: Error): RetryScope {
  const isTooSlow =
    cause instanceof CallError && (cause.code === 'first_byte_timeout' || cause.code === 'between_chunks_timeout')
  return isTooSlow ? 'nowhere' : 'anywhere'
}

/** Whether the provider was at work on a call that failed before its answer began. */
export function isCutByUs(error: Error): boolean {
  return (
    error instanceof CallError &&
    (error.code === 'first_byte_timeout' || error.code === 'between_chunks_timeout' || error.code === 'pool_closed')
  )
}

/** Whether the provider ended something that is not an answer. */
export const isMalformed = (error: Error): boolean => error instanceof CallError && error.code === 'malformed_answer'

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

/**
 * How long an upstream asks to wait: `retry-after-ms` (Azure), else `Retry-After` in seconds or as a date (RFC 9110, 10.2.3).
 *
 * @returns milliseconds within bounds; null if it does not ask
 */
export function readWaitMs(
  { retryAfter, retryAfterMs }: Pick<AnswerHead, 'retryAfter' | 'retryAfterMs'>,
  now: number = Date.now()
): number | null {
  if (retryAfterMs !== undefined && /^\d{1,15}(\.\d{1,9})?$/.test(retryAfterMs)) return bounded(Number(retryAfterMs))
  if (retryAfter === undefined) return null
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return bounded(Number(retryAfter) * 1000)
  // Only a date begins with the name of a day; Date.parse takes nearly anything for one.
  return /^[A-Z][a-z]+,? /.test(retryAfter) ? bounded(Date.parse(retryAfter) - now) : null
}

function bounded(ms: number): number | null {
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxWaitMs)
}
