import { dependencyRetrySeconds, ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type AnswerHead, CallError } from '../upstreams/upstream-pool.ts'
import type { RetryScope } from './client-may-retry.ts'
import { codeOfFault, type OperatorFault, operatorFault } from './operator-faults.ts'
import { type RefusalReason, unexplained } from './read-refusal.ts'

/** Seconds that a client should wait if the upstream limits the rate without a time. */
const defaultRetrySeconds = 5
const maxWaitMs = 3_600_000
/** How long other targets are called first if only the operator can repair a target, ms. */
const unusableMs = 30_000

/**
 * Statuses about the request: its content (400, 413, 415, 422, 431), its model (404, 410), or the law (451). Other 4xx
 * mean that the gateway calls the provider in a wrong way.
 */
const aboutTheRequest: ReadonlySet<number> = new Set([400, 404, 410, 413, 415, 422, 431, 451])
/**
 * Statuses of transient failures. 424 is a failed generation (text-generation-inference, Bedrock). Groq answers 498
 * when it has no capacity, and 499 for a cancelled call (console.groq.com/docs/errors).
 */
const transient: ReadonlySet<number> = new Set([408, 409, 424, 425, 429, 498, 499])

/** Whether a status is about the client's request. The client gets such a status, unless only the operator can help. */
export function isAboutTheRequest(status: number): boolean {
  return aboutTheRequest.has(status)
}

/** Whether the body must be read to decide what follows a status. */
export function needsReason(status: number): boolean {
  return isAboutTheRequest(status) || status === 401 || status === 403 || status === 429
}

/** A failed call, and where another call may succeed. */
export interface CallFailure {
  failure: ServiceError
  scope: RetryScope
  /** How long other targets are called first, ms; 0 if this target may be called at once. */
  restMs: number
}

/**
 * Decides what a status other than success means.
 *
 * @param reason from the body; {@link unexplained} if the body was not read
 * @param waitMs how long the upstream asks to wait; null if it does not ask
 * @returns null if the refusal is about the client's request
 */
export function classifyStatus(
  status: number,
  reason: RefusalReason = unexplained,
  waitMs: number | null = null
): CallFailure | null {
  const fault = faultOf(status, reason, waitMs)
  if (fault !== null) return failureOfFault(fault, statusError(status, reason))
  if (isAboutTheRequest(status)) return null
  const clientWaitMs = clientWaitOf(waitMs)
  // OpenRouter answers 402 with Retry-After while too many calls are in flight.
  if (status === 402 || status === 429 || status === 498) {
    const wait = clientWaitMs === null ? { retryAfter: defaultRetrySeconds } : { retryAfterMs: clientWaitMs }
    const failure = new ServiceError('upstream_rate_limited', { ...wait, cause: statusError(status, reason) })
    return { failure, scope: 'anywhere', restMs: waitMs ?? 0 }
  }
  const code = status === 408 || status === 504 ? 'upstream_timeout' : 'upstream_error'
  const failure = new ServiceError(code, {
    ...(clientWaitMs !== null && { retryAfterMs: clientWaitMs }),
    cause: statusError(status, reason)
  })
  const scope = status >= 500 || transient.has(status) ? 'anywhere' : 'elsewhere'
  return { failure, scope, restMs: waitMs ?? 0 }
}

/** What only the operator can repair, as a status and its reason say. Parameters as in {@link classifyStatus}. */
export function faultOf(status: number, reason: RefusalReason, waitMs: number | null = null): OperatorFault | null {
  const fault = operatorFault(status, reason)
  if (fault !== null) return fault
  if (status === 401 || status === 403) return 'credential'
  return status === 402 && waitMs === null ? 'credit' : null
}

/** @param cause for the log */
export function failureOfFault(fault: OperatorFault, cause: Error): CallFailure {
  return { failure: new ServiceError(codeOfFault[fault], { cause }), scope: 'elsewhere', restMs: unusableMs }
}

/** Builds the error for the log. It has the provider's codes, but not the message, which may repeat a conversation. */
function statusError(status: number, { code, type }: RefusalReason): Error {
  const names = [code, type].filter((name) => name !== null).join(', ')
  return new Error(`the upstream answered ${status}${names === '' ? '' : ` (${names})`}`)
}

/** How long the client should wait: at least as long as when a dependency is down. */
function clientWaitOf(waitMs: number | null): number | null {
  return waitMs === null ? null : Math.max(Math.ceil(waitMs), dependencyRetrySeconds * 1000)
}

/**
 * Decides where another call may succeed after a call that failed without a status: nowhere after a timeout of the
 * answer, because another call would take as long again.
 */
export function scopeOfError(cause: Error): RetryScope {
  const isTooSlow =
    cause instanceof CallError && (cause.code === 'first_byte_timeout' || cause.code === 'between_chunks_timeout')
  return isTooSlow ? 'nowhere' : 'anywhere'
}

/** Whether the gateway ended a call while the provider worked on it. */
export function isCutByUs(error: Error): boolean {
  return (
    error instanceof CallError &&
    (error.code === 'first_byte_timeout' || error.code === 'between_chunks_timeout' || error.code === 'pool_closed')
  )
}

/** Whether a call failed because its body is not an answer. */
export const isMalformed = (error: Error): boolean => error instanceof CallError && error.code === 'malformed_answer'

/** The error that a client gets for a call that failed without a status. */
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
 * Reads the wait that an upstream asks for: `retry-after-ms` (Azure), or `Retry-After` in seconds or as a date (RFC
 * 9110, 10.2.3).
 *
 * @returns milliseconds within bounds; null without such a header
 */
export function readWaitMs(
  { retryAfter, retryAfterMs }: Pick<AnswerHead, 'retryAfter' | 'retryAfterMs'>,
  now: number = Date.now()
): number | null {
  if (retryAfterMs !== undefined && /^\d{1,15}(\.\d{1,9})?$/.test(retryAfterMs)) return bounded(Number(retryAfterMs))
  if (retryAfter === undefined) return null
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return bounded(Number(retryAfter) * 1000)
  // A date begins with the name of a day. Date.parse accepts nearly anything.
  return /^[A-Z][a-z]+,? /.test(retryAfter) ? bounded(Date.parse(retryAfter) - now) : null
}

function bounded(ms: number): number | null {
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxWaitMs)
}
