import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

const away = ['503 state_unavailable']
const downMs = 1000
const oldForMs = 5000

/** Redis comes back without what it had acknowledged. */
export const redisLosses: readonly Fault[] = [
  {
    name: 'redis-empty',
    summary: 'Redis is killed (SIGKILL) and comes back empty after 1 s',
    allowed: { refusals: away, redisForgets: true },
    async inflict({ redis }, forgotten) {
      await redis.kill('SIGKILL')
      forgotten()
      await delay(downMs)
      await redis.start('empty')
    }
  },
  {
    name: 'redis-old',
    summary: 'Redis is killed (SIGKILL) and comes back from a dump that is 5 s old',
    allowed: { refusals: away, redisForgets: true },
    async inflict({ redis }, forgotten) {
      await redis.save()
      await delay(oldForMs)
      await redis.kill('SIGKILL')
      forgotten()
      await redis.start('saved')
    }
  },
  {
    name: 'redis-flush',
    summary: 'somebody says FLUSHALL',
    allowed: { refusals: away, redisForgets: true },
    async inflict({ redis }, forgotten) {
      forgotten()
      await redis.ask((client) => client.flushall())
    }
  }
]
