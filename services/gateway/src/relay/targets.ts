import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import type { RetryScope } from './client-may-retry.ts'

/** Maximum wait before a retry, ms. Instead of a longer wait, the client gets the failure and the time. */
const maxWaitMs = 2000
/** Maximum random wait before the first retry of the same upstream, ms. It doubles with each retry. */
const initialMaxJitterMs = 200

export interface CallableTarget {
  target: Target
  waitMs: number
}

/**
 * Finds the target of the next call, and its time. Unknown upstreams are skipped.
 *
 * Targets that work come first: their breaker is closed or lets a probe pass, and their upstream did not ask for a long
 * wait. Among them, untried ones come first, then those without a wait, then the order of the request. Without any, the
 * least bad target is called (as below Envoy's panic threshold): untried, without a long wait, with the smallest share
 * of failures. So nobody gets less than without a gateway.
 *
 * A tried target is called after a random wait ("full jitter"), and not before the time that its upstream named.
 *
 * @param tried the targets of this request's calls, in any order
 * @param now milliseconds of the breakers' clock
 * @returns null if no upstream is known, or if a retry would have to wait for longer than the maximum
 */
export function callableTarget(
  order: readonly Target[],
  tried: readonly Target[],
  upstreams: Upstreams,
  now: number,
  random: () => number = Math.random
): CallableTarget | null {
  let best: Target | null = null
  let bestRank = Number.POSITIVE_INFINITY
  let bestRestMs = 0
  for (const target of order) {
    const upstream = upstreams.get(target.upstream)
    if (upstream === undefined) continue
    const restMs = upstream.pauses.leftMs(target.model, now)
    // A first call does not wait: the upstream may have room again.
    if (tried.length > 0 && restMs > maxWaitMs) continue
    const rank = rankOf(upstream, timesIn(tried, target), restMs, now)
    if (rank >= bestRank) continue
    best = target
    bestRank = rank
    bestRestMs = restMs
  }
  if (best === null) return null
  if (tried.length === 0) return { target: best, waitMs: 0 }
  const times = timesIn(tried, best)
  const waitMs = times === 0 ? bestRestMs : Math.max(bestRestMs, random() * initialMaxJitterMs * 2 ** (times - 1))
  return { target: best, waitMs }
}

/** Above the ranks of all targets that work. */
const leastBad = 1000

/** The lowest rank is called. A target that works has one below {@link leastBad}. */
function rankOf({ breaker }: Upstream, times: number, restMs: number, now: number): number {
  const restsLong = restMs > maxWaitMs
  if (!restsLong && breaker.waitMs(now) === 0) return 2 * times + (restMs > 0 ? 1 : 0)
  return leastBad + 4 * times + (restsLong ? 2 : 0) + breaker.failureShare
}

function timesIn(tried: readonly Target[], target: Target): number {
  let times = 0
  for (const called of tried) if (called === target) times++
  return times
}

/**
 * Orders the targets of a route by priority. Targets of the same priority are ordered at random, by weight.
 *
 * @param random draws from [0, 1)
 */
export function orderTargets(route: readonly Target[], random: () => number = Math.random): readonly Target[] {
  if (route.length === 1) return route
  const left = [...route]
  const order: Target[] = []
  while (left.length > 0) {
    const priority = Math.min(...left.map((target) => target.priority))
    const first = left.filter((target) => target.priority === priority)
    const drawn = draw(first, random)
    order.push(drawn)
    left.splice(left.indexOf(drawn), 1)
  }
  return order
}

function draw(targets: readonly Target[], random: () => number): Target {
  let rest = random() * targets.reduce((sum, { weight }) => sum + weight, 0)
  for (const target of targets) {
    rest -= target.weight
    if (rest < 0) return target
  }
  return targets.at(-1)!
}

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

interface FailOver {
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
