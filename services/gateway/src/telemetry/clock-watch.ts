import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readRedisSkew } from '@tollgate/state/link/redis-time.ts'

const intervalMs = 10_000

/** Compares this gateway's clock with that of Redis now and then. */
export type ClockWatch = {
  start(): void
  /** Compares them now. Never rejects. */
  look(): Promise<void>
  stop(): void
}

/**
 * @param onSkew told how far Redis' clock is ahead of this gateway's, ms, below 0 if it is behind; null if it is not known
 * @param own this gateway's clock, ms since the epoch
 */
export function createClockWatch(
  redis: RedisLink,
  onSkew: (skewMs: number | null) => void,
  own: () => number = Date.now
): ClockWatch {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null

  function look(): Promise<void> {
    looking ??= readRedisSkew(redis, own)
      .then(onSkew)
      .finally(() => {
        looking = null
      })
    return looking
  }

  return {
    start() {
      timer = setInterval(look, intervalMs)
      void look()
    },
    look,
    stop: () => clearInterval(timer)
  }
}
