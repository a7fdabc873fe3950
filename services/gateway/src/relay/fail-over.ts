import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import { callableTarget } from './callable-target.ts'
import type { RetryScope } from './client-may-retry.ts'

/** The state of a request after a failed call. */
export interface FailedCall {
  /** Where another call may help. */
  readonly scope: RetryScope
  /** Whether the client is still connected, and has no part of an answer. */
  readonly isOpen: boolean
  /** The targets that may still be called, in the order of the request. */
  readonly order: readonly Target[]
  /** The targets of all previous calls. */
  readonly tried: readonly Target[]
  readonly maxCalls: number
  /** Whether the retry budget of the failed upstream allows another call. */
  readonly isRetryAllowed: boolean
}

export interface FailOver {
  readonly target: Target
  readonly waitMs: number
  /** Whether the call takes one from the retry budget of the failed upstream. */
  readonly isRetry: boolean
}

/**
 * Decides what follows a failed call.
 *
 * @param now milliseconds of the breakers' clock
 * @param random draws from [0, 1)
 * @returns the next call; null if the client gets the failure instead
 */
export function failOver(
  { scope, isOpen, order, tried, maxCalls, isRetryAllowed }: FailedCall,
  upstreams: Upstreams,
  now: number,
  random: () => number = Math.random
): FailOver | null {
  if (scope === 'nowhere' || !isOpen || tried.length >= maxCalls) return null
  // If only other upstreams can help, the call does not multiply the load of the failed one.
  const isRetry = scope === 'anywhere'
  if (isRetry && !isRetryAllowed) return null
  const next = callableTarget(order, tried, upstreams, now, random)
  return next === null ? null : { target: next.target, waitMs: next.waitMs, isRetry }
}
