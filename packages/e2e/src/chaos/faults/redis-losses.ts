import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

const unavailable = ['503 state_unavailable']
const downMs = 1000
const oldForMs = 5000

/** Redis restarts without acknowledged writes. */
export const redisLosses: readonly Fault[] = [
  {
    name: 'redis-empty',
    summary: 'Redis is killed (SIGKILL) and comes back empty after 1 s',
    allowed: { refusals: unavailable, redisLosesData: true },
    async inject({ redis }, loseData) {
      await loseData(() => redis.kill('SIGKILL'))
      await delay(downMs)
      await redis.start('empty')
    }
  },
  {
    name: 'redis-old',
    summary: 'Redis is killed (SIGKILL) and comes back from a dump that is 5 s old',
    allowed: { refusals: unavailable, redisLosesData: true },
    async inject({ redis }, loseData) {
      await redis.save()
      await delay(oldForMs)
      await loseData(() => redis.kill('SIGKILL'))
      await redis.start('saved')
    }
  },
  {
    name: 'redis-flush',
    summary: 'an operator runs FLUSHALL',
    allowed: { refusals: unavailable, redisLosesData: true },
    async inject({ redis }, loseData) {
      await loseData(() => redis.ask((client) => client.flushall()))
    }
  }
]
