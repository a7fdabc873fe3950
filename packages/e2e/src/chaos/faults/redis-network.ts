import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { NetworkProxy } from '../network/proxy.ts'
import type { ChaosSystem, Conditions } from '../system/chaos-system.ts'

const unavailable = ['503 state_unavailable']
const lastsMs = 10_000
/** All network faults share a system. */
export const networkConditions: Conditions = { redisNetwork: true }

const allProxies = ({ controls, gateways }: ChaosSystem): NetworkProxy[] =>
  [...controls, ...gateways].map(({ redis }) => redis)

/** Disturbs every connection to Redis, and restores them after 10 s. */
const changeAll =
  (change: (proxy: NetworkProxy) => void, forMs: number): Fault['inject'] =>
  async (system) => {
    for (const proxy of allProxies(system)) change(proxy)
    await delay(forMs)
    for (const proxy of allProxies(system)) proxy.restore()
  }

/** Redis works, but the network to it does not. */
export const redisNetwork: readonly Fault[] = [
  {
    name: 'redis-slow',
    summary: 'every answer of Redis takes 50 ms longer, for 10 s',
    conditions: networkConditions,
    allowed: { retriesSucceed: true },
    inject: changeAll((proxy) => proxy.shape({ delayMs: 25 }), lastsMs)
  },
  {
    name: 'redis-narrow',
    summary: 'every process reaches Redis at only 30 kB/s, for 10 s',
    conditions: networkConditions,
    allowed: { refusals: unavailable },
    inject: changeAll((proxy) => proxy.shape({ bytesPerSecond: 30_000 }), lastsMs)
  },
  {
    name: 'redis-partition',
    summary: 'packets between one gateway and Redis are dropped for 10 s',
    conditions: networkConditions,
    allowed: { refusals: unavailable },
    async inject({ gateways }) {
      gateways[0]!.redis.drop()
      await delay(lastsMs)
      gateways[0]!.redis.restore()
    }
  },
  {
    name: 'redis-reset',
    summary: 'all connections to Redis are reset, and new ones for 2 s',
    conditions: networkConditions,
    allowed: { refusals: unavailable, retriesSucceed: true },
    inject: changeAll((proxy) => proxy.cut(), 2000)
  },
  {
    name: 'redis-half-open',
    summary: 'Redis closes all connections, and clients do not notice',
    conditions: networkConditions,
    allowed: { refusals: unavailable, retriesSucceed: true },
    async inject(system) {
      for (const proxy of allProxies(system)) proxy.halfOpen()
    }
  },
  {
    name: 'pubsub-silent',
    summary: 'packets of every subscription are dropped for 10 s',
    conditions: networkConditions,
    allowed: { retriesSucceed: true },
    inject: changeAll((proxy) => proxy.drop((sent) => sent.toLowerCase().includes('subscribe')), lastsMs)
  }
]
