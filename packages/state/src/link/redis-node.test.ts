import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { putKeyRecord } from '../projection/write-records.ts'
import { activeKey } from '../testing/one-account.ts'
import { connectServer } from './connect-redis.ts'
import { RedisAwayError } from './redis-link.ts'
import { connectNode } from './redis-node.ts'

const program = findRedisServer(process.env)
const options = { name: 'a-test', silenceTimeoutMs: 30_000, onError: () => {} }

test('the run id is that of the connected process, and unknown before', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const server = await startRedis({ port: 0, program })
  const link = connectServer(server.url, options)
  t.after(() => Promise.all([link.close(), server.stop()]))
  assert.equal(link.isReady(), false)
  assert.throws(() => link.run(), RedisAwayError)
  await link.ready()
  assert.equal(link.isReady(), true)
  assert.match(await link.client.info('server'), new RegExp(`^run_id:${link.run().split(':')[0]}\r$`, 'm'))
  assert.match(String(await link.client.client('LIST')), / name=a-test /)
})

test('while Redis is away, commands fail at once; a new process has another run id', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const first = await startRedis({ port: 0, program })
  const link = connectServer(first.url, options)
  t.after(() => Promise.all([link.close(), first.stop()]))
  await link.ready()
  const run = link.run()

  const closed = once(link.client, 'close')
  await first.kill('SIGKILL')
  await closed
  assert.equal(link.isReady(), false)
  assert.throws(() => link.run(), RedisAwayError)
  await assert.rejects(link.client.ping())

  const ready = link.ready()
  const second = await startRedis({ port: first.port, program })
  t.after(() => second.stop())
  await ready
  assert.notEqual(link.run(), run)
  assert.equal(await link.client.ping(), 'PONG')
  assert.equal(await putKeyRecord(link, 'account', 'key_1', 1, activeKey), true)
})

test('a server that hung during a failover gets no commands when it answers again', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const server = await startRedis({ port: 0, program })
  t.after(() => server.stop())
  let chosen = false
  const errors = Promise.withResolvers<Error>()
  const target = { host: '127.0.0.1', port: Number(new URL(server.url).port) }
  const node = connectNode(target, { ...options, onError: errors.resolve }, async () => chosen)
  t.after(() => node.close())
  assert.match((await errors.promise).message, /is no longer the master$/)
  assert.throws(() => node.run(), RedisAwayError)
  chosen = true
  await node.ready()
  assert.ok(node.run())
})

test('after a reconnect to the same process, the run id is the same', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const server = await startRedis({ port: 0, program })
  const link = connectServer(server.url, options)
  const other = connectServer(server.url, options)
  t.after(() => Promise.all([link.close(), other.close(), server.stop()]))
  await Promise.all([link.ready(), other.ready()])
  const run = link.run()
  const closed = once(link.client, 'close')
  await other.client.client('KILL', 'ID', await link.client.client('ID'))
  await closed
  await link.ready()
  assert.equal(link.run(), run)
})

test('a server that was made a replica of an older copy and a master again gets another run id', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const [server, copy] = await Promise.all([startRedis({ port: 0, program }), startRedis({ port: 0, program })])
  const link = connectServer(server.url, options)
  t.after(() => Promise.all([link.close(), server.stop(), copy.stop()]))
  await link.ready()
  const run = link.run()
  const operator = new Redis(server.port)
  const operatorOfCopy = new Redis(copy.port)
  t.after(() => [operator, operatorOfCopy].forEach((one) => void one.disconnect()))
  await operator.set('lost', '1')
  // By default, it waits five seconds for more replicas.
  await operatorOfCopy.config('SET', 'repl-diskless-sync-delay', '0')

  const closed = once(link.client, 'close')
  await operator.replicaof('127.0.0.1', copy.port)
  while ((await operator.exists('lost')) === 1) await setTimeout(10)
  await operator.replicaof('NO', 'ONE')
  await closed
  await link.ready()
  assert.notEqual(link.run(), run)
  assert.equal(link.run().split(':')[0], run.split(':')[0])
})

test('a command without an answer fails after the timeout', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const server = await startRedis({ port: 0, program })
  const link = connectServer(server.url, { ...options, silenceTimeoutMs: 300 })
  t.after(() => Promise.all([link.close(), server.stop()]))
  await link.ready()
  await server.kill('SIGSTOP')
  const startedAt = performance.now()
  await assert.rejects(link.client.ping())
  assert.ok(performance.now() - startedAt > 250)
  await server.kill('SIGCONT')
})

test('an answer that arrived in time counts, even if this process was too busy to read it', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const server = await startRedis({ port: 0, program })
  const failures: Error[] = []
  const link = connectServer(server.url, {
    ...options,
    silenceTimeoutMs: 100,
    onError: (error) => void failures.push(error)
  })
  t.after(() => Promise.all([link.close(), server.stop()]))
  await link.ready()
  const answer = link.client.ping()
  // The command is sent at the end of this turn. The next turn takes long.
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300))
  assert.equal(await answer, 'PONG')
  assert.equal(await link.client.ping(), 'PONG')
  assert.deepEqual(failures, [])
})

test('failed connections are reported and repeated until the link is closed', async (t) => {
  const server = await startRedis({ port: 0, program: null })
  await server.stop()
  let failures = 0
  let report = () => {}
  const twoFailures = new Promise<void>((resolve) => {
    report = resolve
  })
  const link = connectServer(server.url, {
    ...options,
    onError: () => {
      failures++
      if (failures === 2) report()
    }
  })
  t.after(() => link.close())
  await twoFailures
  assert.equal(link.isReady(), false)
  await link.close()
})
