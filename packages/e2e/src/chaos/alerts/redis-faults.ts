import { rawChat } from '../traffic/raw-chat.ts'
import type { AlertFault } from './alert-fault.ts'

const streams = 40
/** Until all streams are open. */
const untilOpen = (count: number, opened: () => number) =>
  new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (opened() < count) return
      clearInterval(timer)
      resolve()
    }, 20)
  })

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
    async inject({ gateways, accounts, models }) {
      const [gateway] = gateways as [(typeof gateways)[number]]
      const body = { model: 'ordinary', stream: true, messages: [{ role: 'user', content: 'Say 90 words.' }] }
      const before = models.requests().length
      const keys = accounts.flatMap((account) => account.keys)
      const sent = Array.from({ length: streams }, (_, index) => rawChat(gateway.url, keys[index % keys.length]!, body))
      await untilOpen(streams, () => models.requests().length - before)
      gateway.redis.cut()
      return async () => {
        gateway.redis.restore()
        await Promise.all(sent)
      }
    }
  },
  {
    summary: 'control is cut off from Redis while a key is revoked',
    raises: ['ProjectionLag', 'RevocationSlow'],
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
      await redis.ask(async (client) => {
        await client.flushall()
        await client.config('SET', 'min-replicas-to-write', '1')
      })
      return () => redis.ask((client) => client.config('SET', 'min-replicas-to-write', '0'))
    }
  }
]
