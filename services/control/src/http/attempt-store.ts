import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type AttemptCount, countAttempt } from '@tollgate/state/rate-limit/count-attempt.ts'
import type { FastifyBaseLogger } from 'fastify'

/** Longer than Redis ever takes; an answer is not delayed by more for the sake of counting. */
const redisLimitMs = 500
/** Counters that a replica keeps while Redis is away. The oldest gives way. */
const localCounters = 10_000

/**
 * The store of the limits: Redis, and this process while Redis is away or too slow. So nobody is refused because Redis is
 * down, and nobody may guess passwords without an end either.
 */
export function createAttemptStore(redis: RedisLink, log: Pick<FastifyBaseLogger, 'warn'>): FastifyRateLimitStoreCtor {
  const countHere = createLocalCounter()
  let isAway = false

  async function count(what: string, windowMs: number): Promise<AttemptCount> {
    try {
      const answer = await within(countAttempt(redis, what, windowMs))
      isAway = false
      return answer
    } catch (err) {
      if (!isAway) log.warn({ err }, 'Redis is away: attempts are counted by each replica for itself')
      isAway = true
      return countHere(what, windowMs, Date.now())
    }
  }

  return class AttemptStore implements FastifyRateLimitStore {
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
  const limit = new Promise<never>((_resolve, reject) => {
    // Timers come before what has arrived meanwhile: a turn of this process that took long is no silence of Redis.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer in ${redisLimitMs} ms`)))
    timer = setTimeout(giveUp, redisLimitMs)
  })
  try {
    return await Promise.race([answer, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** @returns a counter in memory, with windows that begin with their first attempt */
export function createLocalCounter(capacity = localCounters) {
  const windows = new Map<string, { attempts: number; endsAt: number }>()
  return (what: string, windowMs: number, now: number): AttemptCount => {
    const found = windows.get(what)
    const window = found !== undefined && found.endsAt > now ? found : { attempts: 0, endsAt: now + windowMs }
    window.attempts++
    // Put at the end, so that the first is the one that was not used for the longest time.
    windows.delete(what)
    windows.set(what, window)
    if (windows.size > capacity) windows.delete(windows.keys().next().value!)
    return { attempts: window.attempts, leftMs: window.endsAt - now }
  }
}
