import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'

/** A retry that would have to wait longer is not made: the client is told how long to wait instead. */
const longestWaitMs = 2000
/** Retries of the same upstream are spread over this at first, and over twice as much each time. */
const firstSpreadMs = 200

export type NextCall = { target: Target; waitMs: number }

/**
 * Which target of a route is called next, and when: one whose breaker lets it, rather one that has not been tried, rather
 * one that has not asked for a rest, and then by the order. Whoever is asked again is asked a little later, at random
 * ("full jitter"), and not before it said.
 *
 * @param tried the targets tried for this request, in any order
 * @param now milliseconds of the breakers' clock
 * @returns null if none may be called, or not soon enough
 */
export function callableTarget(
  order: readonly Target[],
  tried: readonly Target[],
  upstreams: Upstreams,
  now: number,
  random: () => number = Math.random
): NextCall | null {
  let best: Target | null = null
  let bestRank = Number.POSITIVE_INFINITY
  let bestRestMs = 0
  for (const target of order) {
    const upstream = upstreams.get(target.upstream)
    if (upstream === undefined || upstream.breaker.waitMs(now) > 0) continue
    const restMs = Math.max(0, (upstream.restingUntil.get(target.model) ?? 0) - now)
    if (tried.length > 0 && restMs > longestWaitMs) continue
    const rank = 2 * timesIn(tried, target) + (restMs > 0 ? 1 : 0)
    if (rank >= bestRank) continue
    best = target
    bestRank = rank
    bestRestMs = restMs
  }
  if (best === null) return null
  // A first request is not held up: whether there is room again only the upstream knows.
  if (tried.length === 0) return { target: best, waitMs: 0 }
  const times = timesIn(tried, best)
  const waitMs = times === 0 ? bestRestMs : Math.max(bestRestMs, random() * firstSpreadMs * 2 ** (times - 1))
  return waitMs > longestWaitMs ? null : { target: best, waitMs }
}

function timesIn(tried: readonly Target[], target: Target): number {
  let times = 0
  for (const one of tried) if (one === target) times++
  return times
}

/** Milliseconds until an upstream of a route may be called again, when none may now. */
export function msUntilCallable(order: readonly Target[], upstreams: Upstreams, now: number): number {
  return Math.min(...order.map(({ upstream }) => upstreams.get(upstream)?.breaker.waitMs(now) ?? 0))
}
