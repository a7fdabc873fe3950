import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { test } from 'tap'
import { connectServer } from './connect-redis.ts'
import { RedisRefusedError, withRefusal } from './execute.ts'
import { RedisAwayError } from './redis-link.ts'

test('a script that Redis refused counts as not sent; a script that failed does not', async () => {
  for (const message of [
    'MOVED 3999 127.0.0.1:6381',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'CLUSTERDOWN The cluster is down',
    "READONLY You can't write against a read only replica.",
    'NOREPLICAS Not enough good replicas to write.',
    "OOM command not allowed when used memory > 'maxmemory'."
  ]) {
    const refusal = withRefusal(Object.assign(new Error(message), { command: { args: ['a secret'] } }))
    assert.ok(refusal instanceof RedisRefusedError && refusal instanceof RedisAwayError, message)
    assert.equal((refusal.cause as Error).message, message)
    assert.ok(!('command' in (refusal.cause as Error)))
  }
  for (const message of [
    "OOM command not allowed when used memory > 'maxmemory'. script: f_5a, on @user_script:12.",
    'ERR user_script:3: a rate must be above 0 script: f_5a, on @user_script:3.',
    'Connection is closed.',
    "Socket timeout. Expecting data, but didn't receive any in 1000ms."
  ]) {
    const error = new Error(message)
    assert.equal(withRefusal(error), error)
  }
})

const isRefusal = (error: Error): boolean => withRefusal(error) instanceof RedisRefusedError
const program = findRedisServer(process.env)
const write = "#!lua\nreturn redis.call('SET', KEYS[1], 1)"

test('a refused script is told from a script that may have run', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const server = await leaseRedis({ program })
  const link = connectServer(server.url, { name: 'a-test', silenceTimeoutMs: 30_000, onError: () => {} })
  t.after(() => Promise.all([link.close(), server.giveBack()]))
  await link.ready()
  const { client } = link
  const failureOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => assert.fail('the script succeeded'),
      (error: Error) => error
    )

  for (const [code, setting, value, normal] of [
    ['OOM', 'maxmemory', '1', '0'],
    ['NOREPLICAS', 'min-replicas-to-write', '1', '0']
  ] as const) {
    await client.config('SET', setting, value)
    const failure = await failureOf(client.eval(write, 1, code))
    assert.match(failure.message, new RegExp(`^${code} `))
    assert.equal(isRefusal(failure), true, code)
    await client.config('SET', setting, normal)
    assert.equal(await client.exists(code), 0)
  }
  await client.replicaof('127.0.0.1', '1')
  assert.equal(isRefusal(await failureOf(client.eval(write, 1, 'a'))), true, 'a replica')
  await client.call('REPLICAOF', 'NO', 'ONE')

  const half = "#!lua\nredis.call('SET', KEYS[1], 1)\nerror('OOM in the middle of it')"
  assert.equal(isRefusal(await failureOf(client.eval(half, 1, 'a'))), false, 'a script that fails')
  assert.equal(await client.exists('a'), 1)
  const unanswered = failureOf(client.blpop('nothing', 0))
  await server.kill('SIGKILL')
  assert.equal(isRefusal(await unanswered), false, 'no answer')
})
