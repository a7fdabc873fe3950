import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import {
  type AttemptCount,
  countAttempt,
  forgetAttempts,
  readAttempts
} from '@tollgate/state/rate-limit/count-attempt.ts'
import type { FastifyBaseLogger } from 'fastify'

/** Longer than Redis ever takes. Counting delays no answer for longer. */
const redisTimeoutMs = 500
/** The maximum number of counters in a replica while Redis is unavailable. The least recently used is dropped first. */
const maxLocalCounters = 10_000

/** Counters of attempts, of all replicas together. Each counts within a window, which its first attempt begins. */
export interface Attempts {
  /** Counts an attempt. @param what see `countAttempt` */
  count(what: string, windowMs: number): Promise<AttemptCount>
  /** Reads a counter, without counting. */
  read(what: string): Promise<AttemptCount>
  /** Starts a counter again from zero. */
  forget(what: string): Promise<void>
}

/**
 * Keeps counters in Redis, or in this process while Redis is unavailable or slow. So sign-in works without Redis, and
 * passwords still cannot be guessed without limit.
 */
export function createAttempts(redis: RedisLink, log: Pick<FastifyBaseLogger, 'warn'>): Attempts {
  const here = createLocalCounter()
  let isAway = false

  async function inRedis<Answer>(ask: Promise<Answer>, otherwise: () => Answer): Promise<Answer> {
    try {
      const answer = await within(ask)
      isAway = false
      return answer
    } catch (err) {
      if (!isAway) log.warn({ err }, 'Redis is unavailable: each replica counts attempts by itself')
      isAway = true
      return otherwise()
    }
  }

  return {
    count: (what, windowMs) =>
      inRedis(countAttempt(redis, what, windowMs), () => here.count(what, windowMs, Date.now())),
    read: (what) => inRedis(readAttempts(redis, what), () => here.read(what, Date.now())),
    async forget(what) {
      here.forget(what)
      await inRedis(forgetAttempts(redis, what), () => {})
    }
  }
}

/** The counters as `@fastify/rate-limit` wants them. */
export function createRateLimitStore(attempts: Pick<Attempts, 'count'>): FastifyRateLimitStoreCtor {
  return class RateLimitStore implements FastifyRateLimitStore {
    incr(...[what, callback, windowMs]: Parameters<FastifyRateLimitStore['incr']>): void {
      attempts.count(what, windowMs).then(
        ({ attempts: current, leftMs }) => callback(null, { current, ttl: leftMs }),
        (error: Error) => callback(error)
      )
    }

    child(): FastifyRateLimitStore {
      return this
    }
  }
}

async function within<Answer>(answer: Promise<Answer>): Promise<Answer> {
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

/** Makes counters in memory. */
export function createLocalCounter(capacity = maxLocalCounters) {
  const windows = new Map<string, { attempts: number; endsAt: number }>()
  return {
    count(what: string, windowMs: number, now: number): AttemptCount {
      const previous = windows.get(what)
      const window =
        previous !== undefined && previous.endsAt > now ? previous : { attempts: 0, endsAt: now + windowMs }
      window.attempts++
      // Reinserted at the end, so that the first is the least recently used.
      windows.delete(what)
      windows.set(what, window)
      if (windows.size > capacity) windows.delete(windows.keys().next().value!)
      return { attempts: window.attempts, leftMs: window.endsAt - now }
    },
    read(what: string, now: number): AttemptCount {
      const window = windows.get(what)
      if (window === undefined || window.endsAt <= now) return { attempts: 0, leftMs: 0 }
      return { attempts: window.attempts, leftMs: window.endsAt - now }
    },
    forget: (what: string): boolean => windows.delete(what)
  }
}
