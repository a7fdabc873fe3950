import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'

/** Maximum wait before a retry, ms. Instead of a longer wait, the client gets the failure and the time. */
const maxWaitMs = 2000
/** Maximum random wait before the first retry of the same upstream, ms. It doubles with each retry. */
const initialMaxJitterMs = 200

export interface CallableTarget {
  target: Target
  waitMs: number
}

/**
 * Finds the target of the next call, and its time. Unknown upstreams and those with an open breaker are skipped. Untried
 * targets come first, then targets whose upstream asked for no wait, then the order of the request. A tried target is called
 * after a random wait ("full jitter"), and not before the time that its upstream named.
 *
 * @param tried the targets of this request's calls, in any order
 * @param now milliseconds of the breakers' clock
 * @returns null if no target may be called within the maximum wait
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
    if (upstream === undefined || upstream.breaker.waitMs(now) > 0) continue
    const restMs = Math.max(0, (upstream.restingUntil.get(target.model) ?? 0) - now)
    if (tried.length > 0 && restMs > maxWaitMs) continue
    const rank = 2 * timesIn(tried, target) + (restMs > 0 ? 1 : 0)
    if (rank >= bestRank) continue
    best = target
    bestRank = rank
    bestRestMs = restMs
  }
  if (best === null) return null
  // A first call does not wait: the upstream may have room again.
  if (tried.length === 0) return { target: best, waitMs: 0 }
  const times = timesIn(tried, best)
  const waitMs = times === 0 ? bestRestMs : Math.max(bestRestMs, random() * initialMaxJitterMs * 2 ** (times - 1))
  return waitMs > maxWaitMs ? null : { target: best, waitMs }
}

function timesIn(tried: readonly Target[], target: Target): number {
  let times = 0
  for (const called of tried) if (called === target) times++
  return times
}

/** Milliseconds until any upstream of a route may be called again. Unknown upstreams are skipped. */
export function msUntilCallable(order: readonly Target[], upstreams: Upstreams, now: number): number {
  return Math.min(...order.map(({ upstream }) => upstreams.get(upstream)?.breaker.waitMs(now) ?? Number.MAX_VALUE))
}
