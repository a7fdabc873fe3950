import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isRetryable } from '@tollgate/contracts/errors/should-retry.ts'
import type { AnswerHead } from '../upstreams/upstream-pool.ts'
import { isKnownEncoding } from './answer-decoder.ts'

/** The kind of a successful answer: a single JSON body, or a stream of events. */
export type AnswerKind = 'body' | 'stream'

/**
 * Classifies an answer with a status below 300 by its head. `text/plain` and a missing type count as JSON; the body is
 * checked later.
 *
 * @returns the kind of answer, or why the provider failed
 */
export function classifyHead(
  status: number,
  { contentType, contentEncoding }: Pick<AnswerHead, 'contentType' | 'contentEncoding'>
): AnswerKind | { fault: string } {
  if (status > 203) return { fault: `has status ${status}` }
  if (contentEncoding !== undefined && !isKnownEncoding(contentEncoding)) return { fault: 'has an unknown encoding' }
  // Nearly all single bodies have this type.
  if (contentType === 'application/json' || contentType === undefined) return 'body'
  if (streamType.test(contentType)) return 'stream'
  return jsonType.test(contentType) ? 'body' : { fault: 'is neither JSON nor a stream' }
}

const streamType = /^text\/event-stream *(?:;|$)/i
const jsonType = /^(?:(?:application|text)\/json|application\/[\w.+-]+\+json|text\/plain) *(?:;|$)/i

/** Maximum calls of providers for one request. */
const maxCalls = 3

/** Where another call may succeed after a failed one: at any upstream, at any other upstream, or nowhere. */
export type RetryScope = 'anywhere' | 'elsewhere' | 'nowhere'

/**
 * Maximum calls of providers for one request. A retry of OpenAI's SDKs gets fewer: the first try and its two retries
 * make at most four calls in total, see {@link mayClientRetry}.
 *
 * @param retryCount the header `x-stainless-retry-count`: the number of previous tries
 */
export function maxCallsOf(retryCount: string | string[] | undefined): number {
  if (typeof retryCount !== 'string' || !/^\d{1,3}$/.test(retryCount)) return maxCalls
  return Math.max(1, maxCalls - Number(retryCount))
}

/**
 * Whether the client should send a request again after its last call failed. It should not if another try would also
 * fail, or if the gateway made all calls.
 *
 * The three tries of an SDK make c, d and e calls, with c ≤ 3, d ≤ 2 and e ≤ 1. The second try follows only if c ≤ 2,
 * the third only if d ≤ 1. So c + d + e ≤ 4, and at least 3: as many as without a gateway.
 *
 * @param calls previous calls of providers for this request
 * @param max maximum calls: {@link maxCallsOf}
 */
export function mayClientRetry(failure: ServiceError, scope: RetryScope, calls: number, max: number): boolean {
  if (scope !== 'anywhere' || !isRetryable(failure.code, failure.retryAfter)) return false
  return calls <= 1 || calls < max
}
