import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type AttemptCount, countAttempt } from '@tollgate/state/rate-limit/count-attempt.ts'
import type { FastifyBaseLogger } from 'fastify'

/** Longer than Redis ever takes. Counting delays no answer for longer. */
const redisTimeoutMs = 500
/** The maximum number of counters in a replica while Redis is unavailable. The least recently used is dropped first. */
const maxLocalCounters = 10_000

/** Counts an attempt. @param what must not contain a secret or an e-mail address: see `countAttempt` */
export type CountAttempt = (what: string, windowMs: number) => Promise<AttemptCount>

/**
 * Counts attempts in Redis, or in this process while Redis is unavailable or slow. So sign-in works without Redis, and
 * passwords still cannot be guessed without limit.
 */
export function createAttemptCounter(redis: RedisLink, log: Pick<FastifyBaseLogger, 'warn'>): CountAttempt {
  const countHere = createLocalCounter()
  let isAway = false
  return async (what, windowMs) => {
    try {
      const answer = await within(countAttempt(redis, what, windowMs))
      isAway = false
      return answer
    } catch (err) {
      if (!isAway) log.warn({ err }, 'Redis is unavailable: each replica counts attempts by itself')
      isAway = true
      return countHere(what, windowMs, Date.now())
    }
  }
}

/** Makes a counter the store of @fastify/rate-limit. */
export function createRateLimitStore(count: CountAttempt): FastifyRateLimitStoreCtor {
  return class RateLimitStore implements FastifyRateLimitStore {
    incr(...[what, callback, windowMs]: Parameters<FastifyRateLimitStore['incr']>): void {
      count(what, windowMs).then(
        ({ attempts, leftMs }) => callback(null, { current: attempts, ttl: leftMs }),
        (error: Error) => callback(error)
      )
    }

    child(): FastifyRateLimitStore {
      return this
    }
  }
}

async function within(answer: Promise<AttemptCount>): Promise<AttemptCount> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    // Timers run before arrived data is read. So a long turn of this process does not look like silence of Redis.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer in ${redisTimeoutMs} ms`)))
    timer = setTimeout(giveUp, redisTimeoutMs)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** @returns a counter in memory, whose windows begin with their first attempt */
export function createLocalCounter(capacity = maxLocalCounters) {
  const windows = new Map<string, { attempts: number; endsAt: number }>()
  return (what: string, windowMs: number, now: number): AttemptCount => {
    const found = windows.get(what)
    const window = found !== undefined && found.endsAt > now ? found : { attempts: 0, endsAt: now + windowMs }
    window.attempts++
    // Reinserted at the end, so that the first is the least recently used.
    windows.delete(what)
    windows.set(what, window)
    if (windows.size > capacity) windows.delete(windows.keys().next().value!)
    return { attempts: window.attempts, leftMs: window.endsAt - now }
  }
}
