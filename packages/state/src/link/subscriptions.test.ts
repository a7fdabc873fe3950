import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { test } from 'tap'
import { connectServer } from './connect-redis.ts'

const program = findRedisServer(process.env)

test('subscriptions to one channel share a connection, and the last one that ends closes it', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const server = await leaseRedis({ program })
  const link = connectServer(server.url, { name: 'a-test', silenceTimeoutMs: 30_000, onError: () => {} })
  t.after(() => Promise.all([link.close(), server.giveBack()]))
  await link.ready()
  const countSubscribers = async () => String(await link.client.client('LIST')).match(/ sub=1 /g)?.length ?? 0
  const untilSubscribers = async (count: number) => {
    while ((await countSubscribers()) !== count) await delay(5)
  }

  const heard: string[] = []
  let next = Promise.withResolvers<void>()
  const hear = (name: string) => (message: string) => {
    heard.push(`${name} ${message}`)
    next.resolve()
  }
  const say = async (message: string) => {
    next = Promise.withResolvers()
    await link.client.publish('changes', message)
    await next.promise
  }
  const endOne = link.subscribe('changes', hear('one'), t.error)
  await untilSubscribers(1)
  const endOther = link.subscribe('changes', hear('other'), t.error)
  await say('both')
  assert.deepEqual(heard.splice(0), ['one both', 'other both'])
  assert.equal(await countSubscribers(), 1)

  endOne()
  await say('the other')
  assert.deepEqual(heard.splice(0), ['other the other'])
  endOther()
  endOther()
  await untilSubscribers(0)

  link.subscribe('changes', hear('later'), t.error)
  await untilSubscribers(1)
  await say('the later')
  assert.deepEqual(heard, ['later the later'])
})
