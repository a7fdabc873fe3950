import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isRetryable } from '@tollgate/contracts/errors/should-retry.ts'

/** Maximum calls of providers for one request. */
const maxCalls = 3

/** Where another call may help after a failed call: at any upstream, at any other upstream, or nowhere. */
export type RetryScope = 'anywhere' | 'elsewhere' | 'nowhere'

/**
 * How many calls of providers a request may make. A retry of OpenAI's SDKs may make fewer: the first try and its two retries
 * make at most four calls together, see {@link mayClientRetry}.
 *
 * @param retryCount the header `x-stainless-retry-count`: how often the SDK has tried before
 */
export function maxCallsOf(retryCount: string | string[] | undefined): number {
  if (typeof retryCount !== 'string' || !/^\d{1,3}$/.test(retryCount)) return maxCalls
  return Math.max(1, maxCalls - Number(retryCount))
}

/**
 * Whether the client should send a request again after its last call failed. It should not if another try would fail alike, or
 * if the gateway has retried already. If the provider said how long to wait, a later try may help while calls are left.
 *
 * With c calls in the first try of an SDK, then d and e: c ≤ 3, d ≤ 2, e ≤ 1; d happens only if c ≤ 2, and e only if d ≤ 1.
 * So c + d + e ≤ 4.
 *
 * @param calls of providers for this request so far
 * @param max calls by {@link maxCallsOf}
 */
export function mayClientRetry(failure: ServiceError, scope: RetryScope, calls: number, max: number): boolean {
  if (scope !== 'anywhere' || !isRetryable(failure.code, failure.retryAfter)) return false
  return calls <= 1 || (failure.retryAfterMs !== null && calls < max)
}
