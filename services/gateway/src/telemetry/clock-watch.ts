import { type RedisLink, readRedisSkew } from '@tollgate/state/link/redis-link.ts'

const intervalMs = 10_000

/** Compares this gateway's clock with Redis' clock, every ten seconds. */
export interface ClockWatch {
  start(): void
  /** Compares them now. Never rejects. */
  compare(): Promise<void>
  stop(): void
}

/**
 * @param onSkew called with how far Redis' clock is ahead of this gateway's, ms; below 0 if behind, null if unknown
 * @param own this gateway's clock, ms since the epoch
 */
export function createClockWatch(
  redis: RedisLink,
  onSkew: (skewMs: number | null) => void,
  own: () => number = Date.now
): ClockWatch {
  let timer: NodeJS.Timeout | undefined
  let comparing: Promise<void> | null = null

  function compare(): Promise<void> {
    comparing ??= readRedisSkew(redis, own)
      .then(onSkew)
      .finally(() => {
        comparing = null
      })
    return comparing
  }

  return {
    start() {
      timer = setInterval(compare, intervalMs)
      void compare()
    },
    compare,
    stop: () => clearInterval(timer)
  }
}
