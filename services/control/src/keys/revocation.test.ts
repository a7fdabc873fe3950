import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { eq } from 'drizzle-orm'
import { test } from 'tap'
import { keys } from '../database/schema/keys.ts'
import { askAsGateway, untilAnswered } from '../projection/testing/ask-as-gateway.ts'
import type { Answer } from '../testing/call-control.ts'
import { startControl } from '../testing/start-control.ts'

interface Key {
  id: string
  value: string
}

/** The program's timeout for a silent Redis. */
const redisSilenceTimeoutMs = 2000

const program = findRedisServer(process.env)
const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code

test('revocation while Redis stops and restarts', async (t) => {
  if (!need(t, 'redis-server', program)) return
  // Redis writes a dump only on request, and loads it at each start.
  const options = { program, dataDir: t.testdir(), persistence: false }
  let server = await startRedis({ port: 0, ...options })
  const { port, url } = server
  const control = await startControl({ redisUrl: url, isProjecting: true, redisSilenceTimeoutMs })
  const gateway = connectServer(url, { name: 'gateway', silenceTimeoutMs: 10_000, onError: () => {} })
  t.after(async () => {
    await Promise.all([control.close(), gateway.close()])
    await server.stop()
  })
  await gateway.ready()
  const { cookie } = await control.signUp({ plan: 'team' })

  async function create(): Promise<Key> {
    const answer = await control.call('POST', '/api/keys', { cookie, body: { label: 'a key' } })
    assert.equal(answer.status, 201)
    return (answer.body as { key: Key }).key
  }
  async function createWorking(): Promise<Key> {
    const key = await create()
    await untilAnswered(gateway, key.value, 'admitted')
    return key
  }
  const revoke = ({ id }: Key) => control.call('DELETE', `/api/keys/${id}`, { cookie })
  async function assertPending(answer: Answer, { id }: Key): Promise<void> {
    assert.deepEqual([answer.status, codeOf(answer)], [503, 'revocation_pending'])
    assert.ok(Number(answer.headers['retry-after']) >= 2)
    const [row] = await control.database.orm.select().from(keys).where(eq(keys.id, id))
    assert.equal(row?.status, 'revoked')
  }
  const restartRedis = async () => {
    server = await startRedis({ port, ...options })
  }
  const otherKey = await createWorking()

  await t.test('a successful revocation applies at once', async () => {
    const revoked = await createWorking()
    const answer = await revoke(revoked)
    assert.deepEqual([answer.status, answer.body], [200, { ok: true }])
    assert.equal(await askAsGateway(gateway, revoked.value), 'refused')
    assert.equal(await askAsGateway(gateway, otherKey.value), 'admitted')
  })

  await t.test('while Redis hangs, a revocation is pending, and the loop completes it afterwards', async (t) => {
    const revoked = await createWorking()
    await server.kill('SIGSTOP')
    const startedAt = performance.now()
    await assertPending(await revoke(revoked), revoked)
    const ms = performance.now() - startedAt
    assert.ok(ms < 10_000, `${ms} ms`)
    await server.kill('SIGCONT')
    const refusal = await untilAnswered(gateway, revoked.value, 'refused')
    t.comment(`refused ${refusal.ms} ms after Redis continued`)
    assert.ok(refusal.ms < 5000, `${refusal.ms} ms`)
    const admission = await untilAnswered(gateway, otherKey.value, 'admitted')
    assert.ok(!admission.before.has('refused'))
    // Control closed the silent connection.
    await control.redis.ready()
    assert.deepEqual((await revoke(revoked)).body, { ok: true })
  })

  await t.test('without Redis, a revocation is pending at once, and an empty Redis is filled again', async (t) => {
    const revoked = await createWorking()
    await server.kill('SIGKILL')
    const startedAt = performance.now()
    await assertPending(await revoke(revoked), revoked)
    await assertPending(await revoke(revoked), revoked)
    assert.ok(performance.now() - startedAt < 2 * redisSilenceTimeoutMs, 'neither call waited for Redis')
    await restartRedis()
    const refusal = await untilAnswered(gateway, revoked.value, 'refused')
    assert.ok(!refusal.before.has('admitted'))
    const admission = await untilAnswered(gateway, otherKey.value, 'admitted')
    assert.ok(!admission.before.has('refused'))
    t.comment(`correct ${refusal.ms + admission.ms} ms after an empty Redis started`)
    await control.redis.ready()
    assert.deepEqual((await revoke(revoked)).body, { ok: true })
  })

  await t.test('a Redis restored from a dump without the revocation never admits the key', async (t) => {
    const revoked = await createWorking()
    await control.redis.client.save()
    assert.deepEqual((await revoke(revoked)).body, { ok: true })
    await server.kill('SIGKILL')
    await restartRedis()
    const refusal = await untilAnswered(gateway, revoked.value, 'refused')
    assert.deepEqual(
      [...refusal.before].filter((answer) => answer !== 'unavailable'),
      []
    )
    const admission = await untilAnswered(gateway, otherKey.value, 'admitted')
    assert.ok(!admission.before.has('refused'))
    t.comment(`correct ${refusal.ms + admission.ms} ms after Redis loaded the dump`)
  })

  await t.test('a FLUSHALL makes no key invalid, and Redis is filled again', async (t) => {
    const revoked = await createWorking()
    await revoke(revoked)
    await control.redis.client.flushall()
    const admission = await untilAnswered(gateway, otherKey.value, 'admitted')
    assert.ok(!admission.before.has('refused'))
    const refusal = await untilAnswered(gateway, revoked.value, 'refused')
    assert.ok(!refusal.before.has('admitted'))
    t.comment(`correct ${admission.ms + refusal.ms} ms after FLUSHALL`)
    assert.ok(admission.ms < 5000)
  })

  await t.test('a key can be created without Redis, and works soon after Redis returns', async (t) => {
    await server.kill('SIGKILL')
    const { value } = await create()
    await restartRedis()
    const { ms, before } = await untilAnswered(gateway, value, 'admitted')
    assert.ok(!before.has('refused'))
    t.comment(`admitted ${ms} ms after Redis started`)
  })
})
