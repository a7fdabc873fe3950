import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { NetworkProxy } from '../network/proxy.ts'
import type { ChaosSystem, Conditions } from '../system/chaos-system.ts'

const away = ['503 state_unavailable']
const lastsMs = 10_000
/** Of all of them: they share a system. */
const conditions: Conditions = { redisNetwork: true }

const allWays = ({ controls, gateways }: ChaosSystem): NetworkProxy[] =>
  [...controls, ...gateways].map(({ redis }) => redis)

/** Changes all ways to Redis, and mends them after a while. */
const changeAll =
  (change: (way: NetworkProxy) => void, forMs: number): Fault['inflict'] =>
  async (system) => {
    for (const way of allWays(system)) change(way)
    await delay(forMs)
    for (const way of allWays(system)) way.restore()
  }

/** Redis is well, but not reached as it should be. */
export const redisNetwork: readonly Fault[] = [
  {
    name: 'redis-slow',
    summary: 'every answer of Redis takes 50 ms longer, for 10 s',
    conditions,
    allowed: { bridged: true },
    inflict: changeAll((way) => way.weather({ delayMs: 25 }), lastsMs)
  },
  {
    name: 'redis-narrow',
    summary: 'every process reaches Redis by 30 kB/s only, for 10 s',
    conditions,
    allowed: { refusals: away },
    inflict: changeAll((way) => way.weather({ bytesPerSecond: 30_000 }), lastsMs)
  },
  {
    name: 'redis-partition',
    summary: 'one gateway does not reach Redis for 10 s, and is not told',
    conditions,
    allowed: { refusals: away },
    async inflict({ gateways }) {
      gateways[0]!.redis.drop()
      await delay(lastsMs)
      gateways[0]!.redis.restore()
    }
  },
  {
    name: 'redis-reset',
    summary: 'all connections to Redis are reset, and new ones for 2 s',
    conditions,
    allowed: { refusals: away, bridged: true },
    inflict: changeAll((way) => way.cut(), 2000)
  },
  {
    name: 'redis-half-open',
    summary: 'Redis has lost all connections, and nobody is told',
    conditions,
    allowed: { refusals: away, bridged: true },
    async inflict(system) {
      for (const way of allWays(system)) way.halfOpen()
    }
  },
  {
    name: 'pubsub-silent',
    summary: 'every subscription is dropped in silence for 10 s',
    conditions,
    allowed: { bridged: true },
    inflict: changeAll((way) => way.drop((sent) => sent.toLowerCase().includes('subscribe')), lastsMs)
  }
]
