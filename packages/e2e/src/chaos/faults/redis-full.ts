import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

/** Reservations, settlements and revocations work while Redis stores no new data. */
export const redisFull: Fault = {
  name: 'redis-full',
  summary: 'Redis is at maxmemory with noeviction for 10 s',
  allowed: { refusals: ['503 state_unavailable'] },
  async inject({ redis }) {
    await redis.ask((client) => client.config('SET', 'maxmemory', '1mb'))
    await delay(10_000)
    await redis.ask((client) => client.config('SET', 'maxmemory', '0'))
  }
}
