import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { PortTakenError } from '../free-port.ts'
import { need } from '../need.ts'
import { findRedisServer } from './find-redis-server.ts'
import { startRedis } from './start-redis.ts'

const program = findRedisServer(process.env)

/** A client that fails instead of reconnecting. */
async function connect(url: string): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, enableOfflineQueue: false })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

for (const [name, chosen] of [
  ['a Redis program', program],
  ['js-redis-server', null]
] as const) {
  test(`${name} answers a real client, runs scripts, and refuses connections once it is stopped`, async (t) => {
    if (name !== 'js-redis-server' && !need(t, 'redis-server', chosen)) return
    const redis = await startRedis({ port: 0, program: chosen })
    t.after(() => redis.stop())
    assert.equal(redis.kind, chosen === null ? 'js-redis-server' : chosen.kind)
    assert.equal(redis.isPersistent, false)
    const client = await connect(redis.url)
    await client.set('a', '1')
    assert.equal(await client.eval("return redis.call('incr', KEYS[1])", 1, 'a'), 2)

    const disconnected = new Promise((resolve) => client.once('end', resolve))
    await redis.stop()
    await redis.stop()
    await redis.ended
    await disconnected
    await assert.rejects(connect(redis.url))
  })

  test(`${name} names the port when another program uses it`, async (t) => {
    if (name !== 'js-redis-server' && !need(t, 'redis-server', chosen)) return
    const other = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    t.after(() => new Promise((resolve) => other.close(resolve)))
    const address = other.address()
    assert.ok(typeof address === 'object' && address !== null)
    const failure = await startRedis({ port: address.port, program: chosen }).catch((error: unknown) => error)
    assert.ok(failure instanceof PortTakenError)
    assert.equal(failure.port, address.port)
  })

  test(`${name} listens on 127.0.0.1 only`, async (t) => {
    if (name !== 'js-redis-server' && !need(t, 'redis-server', chosen)) return
    const redis = await startRedis({ port: 0, program: chosen })
    t.after(() => redis.stop())
    // A server on 0.0.0.0 or :: would answer on this loopback address, too.
    await assert.rejects(connect(`redis://127.0.0.2:${redis.port}`))
  })
}

test('a persistent Redis has its data after SIGKILL and a new start on the same port', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const dataDir = join(t.testdir(), 'redis')
  const first = await startRedis({ port: 0, program, dataDir })
  t.after(() => first.stop())
  assert.equal(first.isPersistent, true)
  const client = await connect(first.url)
  assert.deepEqual(await client.config('GET', 'appendfsync'), ['appendfsync', 'everysec'])
  // With `everysec` the last second may be lost.
  await client.config('SET', 'appendfsync', 'always')
  await client.set('kept', 'yes')
  await first.kill('SIGKILL')
  await first.ended

  const second = await startRedis({ port: first.port, program, dataDir })
  t.after(() => second.stop())
  const again = await connect(second.url)
  assert.equal(await again.get('kept'), 'yes')
  assert.notEqual(second.pid, first.pid)
  await second.stop()
})

test('without persistence the server loads a dump from the data directory, and stores no later change', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const options = { port: 0, program, dataDir: t.testdir(), persistence: false }
  const first = await startRedis(options)
  t.after(() => first.stop())
  const client = await connect(first.url)
  await client.set('old', '1')
  await client.save()
  await client.set('new', '1')
  await first.stop()

  const second = await startRedis(options)
  t.after(() => second.stop())
  assert.deepEqual(await (await connect(second.url)).keys('*'), ['old'])
  await second.stop()
})

test('a Redis without a data directory leaves no files behind', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedis({ port: 0, program })
  t.after(() => redis.stop())
  const client = await connect(redis.url)
  const [, directory] = (await client.config('GET', 'dir')) as [string, string]
  await client.save()
  assert.ok(existsSync(join(directory, 'dump.rdb')))
  await redis.stop()
  assert.ok(!existsSync(directory))
})

test('a Redis suspended by SIGSTOP does not answer, and can still be stopped', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedis({ port: 0, program })
  t.after(() => redis.stop())
  const client = await connect(redis.url)
  await redis.kill('SIGSTOP')
  const answer = client.ping()
  assert.match(execFileSync('ps', ['-o', 'stat=', '-p', String(redis.pid)], { encoding: 'utf8' }), /^T/)
  await redis.kill('SIGCONT')
  assert.equal(await answer, 'PONG')
  await redis.kill('SIGSTOP')
  await redis.stop()
})

test('arguments override the defaults', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedis({ port: 0, program, args: ['--maxmemory', '64mb', '--databases', '3'] })
  t.after(() => redis.stop())
  const client = await connect(redis.url)
  assert.deepEqual(await client.config('GET', 'maxmemory'), ['maxmemory', '67108864'])
  assert.deepEqual(await client.config('GET', 'databases'), ['databases', '3'])
  await redis.stop()
})

test("a Redis that cannot start is reported with the server's output", async (t) => {
  if (!need(t, 'redis-server', program)) return
  await assert.rejects(startRedis({ port: 0, program, args: ['--no-such-setting', '1'] }), /no-such-setting/)
})

test('js-redis-server refuses arguments and signals that it does not support', async (t) => {
  await assert.rejects(startRedis({ port: 0, program: null, args: ['--maxmemory', '1mb'] }), /maxmemory/)
  const redis = await startRedis({ port: 0, program: null })
  t.after(() => redis.stop())
  await assert.rejects(redis.kill('SIGSTOP'), /SIGSTOP/)
  await redis.kill('SIGKILL')
  await redis.ended
})

test('persistence needs a data directory', async () => {
  await assert.rejects(startRedis({ port: 0, persistence: true }), /dataDir/)
})
