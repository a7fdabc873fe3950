import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

const unavailable = ['503 state_unavailable']

/** Redis is suspended. Its connections stay open. */
const pauseOf = (seconds: number): Fault => ({
  name: `redis-pause-${seconds}s`,
  summary: `Redis is suspended (SIGSTOP) for ${seconds} s`,
  allowed: { refusals: unavailable, retriesSucceed: seconds <= 3 },
  async inject({ redis }) {
    await redis.kill('SIGSTOP')
    await delay(seconds * 1000)
    await redis.kill('SIGCONT')
  }
})

export const redisPauses: readonly Fault[] = [1, 3, 10, 60].map(pauseOf)
