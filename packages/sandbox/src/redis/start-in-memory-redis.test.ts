import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { type Test, test } from 'tap'
import { freePort } from '../free-port.ts'
import { startJsRedis } from './start-in-memory-redis.ts'

async function startWithClient(t: Test) {
  const redis = await startJsRedis(await freePort(), {})
  t.teardown(() => redis.stop())
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  return { redis, client }
}

test('commands in an HTTP request, which any web page can send, do not run', async (t) => {
  const { redis, client } = await startWithClient(t)
  await client.set('kept', '1')
  const lines = 'FLUSHALL\r\nSET stolen 1\r\n'
  for (const text of [
    `POST / HTTP/1.1\r\nHost: 127.0.0.1:${redis.port}\r\nContent-Length: ${lines.length}\r\n\r\n${lines}`,
    lines,
    `\r\n${lines}`
  ]) {
    const socket = connect(redis.port, '127.0.0.1').resume()
    socket.on('error', () => undefined)
    socket.write(text)
    await once(socket, 'close')
    assert.deepEqual(await client.keys('*'), ['kept'])
  }
})

test('INFO has, as in Redis, a new run id for each server, its role and its eviction policy', async (t) => {
  const runIds = new Set<string>()
  for (let n = 0; n < 2; n++) {
    const redis = await startJsRedis(await freePort(), {})
    t.teardown(() => redis.stop())
    const client = new Redis(redis.url)
    t.teardown(() => client.disconnect())
    const info = await client.info()
    assert.match(info, /^role:master\r$/m)
    assert.match(info, /^maxmemory_policy:noeviction\r$/m)
    const runId = /^run_id:([0-9a-f]{40})\r$/m.exec(info)?.[1]
    assert.ok(runId !== undefined)
    assert.match(await client.info('server'), new RegExp(`^run_id:${runId}\r$`, 'm'))
    assert.doesNotMatch(await client.info('memory'), /run_id/)
    runIds.add(runId)
  }
  assert.equal(runIds.size, 2)
})

test('scripts of Redis 7 run: with a line of flags, under their own SHA-1, with integers over 32 bits', async (t) => {
  const { client } = await startWithClient(t)
  const script = [
    '#!lua flags=no-writes',
    "local text = string.format('%d~%s~%.1f', tonumber(ARGV[1]), 'é', 0.5)",
    "return { text, string.match(text, '^(%d+)~'), string.upper(KEYS[1]) }"
  ].join('\n')
  const sha = await client.script('LOAD', script)
  for (const big of ['4294967297', '9007199254740991']) {
    assert.deepEqual(await client.evalsha(String(sha), 1, 'a', big), [`${big}~é~0.5`, big, 'A'])
  }
  assert.deepEqual(await client.eval(script, 1, 'a', 7), ['7~é~0.5', '7', 'A'])
  await assert.rejects(client.eval('#!lua\nlocal one = 1\nreturn one.two.three', 0), /:3:/)
})

test('a reply keeps what it read when a later command of the same transaction writes', async (t) => {
  const { client } = await startWithClient(t)
  const transaction = client
    .multi()
    .set('text', 'old')
    .get('text')
    .setrange('text', 0, 'new')
    .append('text', 'er')
    .setbit('text', 7, 1)
    .hset('hash', { a: '1', b: '1' })
    .hgetall('hash')
    .hincrby('hash', 'a', 1)
    .hdel('hash', 'b')
    .rpush('list', '1', '2')
    .lrange('list', 0, -1)
    .lset('list', 0, '3')
    .lpop('list')
    .zadd('sorted', 1, 'a', 2, 'b')
    .zrange('sorted', '0', '-1', 'WITHSCORES')
    .zincrby('sorted', 5, 'a')
    .sadd('set', 'a')
    .smembers('set')
    .srem('set', 'a')
    .xadd('stream', '1-1', 'a', '1')
    .xrange('stream', '-', '+')
    .xtrim('stream', 'MAXLEN', 0)
  const replies = (await transaction.exec())!.map(([error, reply]) => error ?? reply)
  assert.deepEqual(
    [1, 6, 10, 14, 17, 20].map((n) => replies[n]),
    ['old', { a: '1', b: '1' }, ['1', '2'], ['a', '1', 'b', '2'], ['a'], [['1-1', ['a', '1']]]]
  )
  assert.equal(await client.exists('missing'), 0)
  assert.equal(await client.hget('missing', 'a'), null)
  await assert.rejects(client.hget('list', 'a'), /WRONGTYPE/)
})

test('a transaction is refused if another client wrote the key that it watches', async (t) => {
  const { redis, client } = await startWithClient(t)
  const other = new Redis(redis.url)
  t.teardown(() => other.disconnect())
  await client.watch('watched')
  await other.hset('watched', 'a', '1')
  assert.equal(await client.multi().get('other').exec(), null)
  const taken = client.blpop('queue', 0)
  await other.rpush('queue', 'first')
  assert.deepEqual(await taken, ['queue', 'first'])
})
