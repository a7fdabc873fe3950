import type { AlertFault } from './alert-fault.ts'
import { openStreams } from './open-streams.ts'

const streams = 40
/** Faults of Redis, and of the network to it. */
export const redisAlertFaults: readonly AlertFault[] = [
  {
    summary: 'Redis is suspended',
    raises: ['RedisDown'],
    mayRaise: ['RequestsFailing', 'ShardsUnverified', 'LoopFailing', 'ProjectionLag', 'SettlementsWaiting'],
    async inject({ redis }) {
      await redis.kill('SIGSTOP')
      return () => redis.kill('SIGCONT')
    }
  },
  {
    summary: 'Redis is full',
    raises: ['RedisErrors', 'RequestsFailing'],
    mayRaise: ['LoopFailing'],
    async inject({ redis }) {
      await redis.ask((client) => client.config('SET', 'maxmemory', '1mb'))
      return () => redis.ask((client) => client.config('SET', 'maxmemory', '0'))
    }
  },
  {
    summary: `a gateway is cut off from Redis while ${streams} streams end`,
    raises: ['SettlementsWaiting'],
    mayRaise: ['RedisDown', 'RequestsFailing'],
    async inject(system) {
      const [gateway] = system.gateways as [(typeof system.gateways)[number]]
      const untilEnded = await openStreams(system, gateway, streams)
      gateway.redis.cut()
      return async () => {
        gateway.redis.restore()
        await untilEnded()
      }
    }
  },
  {
    summary: 'control is cut off from Redis while a key is revoked',
    raises: ['ProjectionLag'],
    raisesAtEnd: ['RevocationSlow'],
    mayRaise: ['RedisDown', 'ShardsUnverified', 'LedgerLag', 'LoopFailing'],
    async inject({ controls, people }) {
      const [person] = people as [(typeof people)[number]]
      const { id } = (await person.createKey('to revoke')).body.key
      for (const { redis } of controls) redis.cut()
      const revoked = person.revokeKey(id)
      return async () => {
        for (const { redis } of controls) redis.restore()
        await revoked
      }
    }
  },
  {
    summary: 'Redis is emptied, and then refuses what control writes (min-replicas-to-write)',
    raises: ['ShardsUnverified'],
    mayRaise: ['RequestsFailing', 'RedisErrors', 'ProjectionLag', 'LoopFailing', 'SettlementsWaiting', 'NoCatalog'],
    async inject({ redis }) {
      await redis.ask((client) => client.multi().flushall().config('SET', 'min-replicas-to-write', '1').exec())
      return () => redis.ask((client) => client.config('SET', 'min-replicas-to-write', '0'))
    }
  }
]
