import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { NetworkProxy } from '../system/proxy.ts'
import type { FailoverForm } from '../system/redis-servers.ts'
import type { Conditions } from '../system/servers.ts'

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

/** Short enough that the master still counts its replicas as in sync. */
const behindMs = 1500

/** Failovers with and without the latest acknowledged writes. */
export const redisFailovers: readonly Fault[] = [
  ...failoversOf('sentinel', 'Sentinels and two replicas'),
  ...failoversOf('cluster', 'a cluster of 3 masters with a replica each')
]

function failoversOf(form: FailoverForm, named: string): Fault[] {
  const conditions: Conditions = { redisForm: form }
  return [
    {
      name: `${form}-failover`,
      summary: `${named}: a master is killed (SIGKILL), and a replica takes over`,
      conditions,
      allowed: { refusals: unavailable, redisLosesData: true, retriesSucceed: true },
      async inject({ failoverRedis: { master, untilPromoted } }, loseData) {
        await loseData(() => master.kill('SIGKILL'))
        await untilPromoted()
        await master.start()
      }
    },
    {
      name: `${form}-behind`,
      summary: `${named}: a master is killed, and a replica without the last ${behindMs / 1000} s of writes takes over`,
      // The first master may be a replica by now.
      conditions: { ...conditions },
      allowed: { refusals: unavailable, redisLosesData: true },
      async inject({ failoverRedis: { master, replicas, untilPromoted } }, loseData) {
        await Promise.all(replicas.map((replica) => replica.kill('SIGSTOP')))
        await delay(behindMs)
        await loseData(() => master.kill('SIGKILL'))
        await Promise.all(replicas.map((replica) => replica.kill('SIGCONT')))
        await untilPromoted()
        await master.start()
      }
    }
  ]
}
