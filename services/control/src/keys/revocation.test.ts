import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { eq } from 'drizzle-orm'
import { test } from 'tap'
import { keys } from '../database/schema.ts'
import { askAsGateway, untilAnswered } from '../projection/testing/ask-as-gateway.ts'
import { type Answer, startControl } from '../testing/start-control.ts'

interface Key {
  id: string
  value: string
}

/** The program's limit for a silent Redis. */
const redisSilenceLimitMs = 2000

const program = findRedisServer(process.env)
const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code

test('revocation, while Redis comes and goes', async (t) => {
  if (!need(t, 'redis-server', program)) return
  // Redis writes a dump only on request, and loads it at every start.
  const options = { program, dataDir: t.testdir(), persistence: false }
  let server = await startRedis({ port: 0, ...options })
  const { port, url } = server
  const control = await startControl({ redisUrl: url, isProjecting: true, redisSilenceLimitMs })
  const gateway = connectServer(url, { name: 'gateway', silenceLimitMs: 10_000, onError: () => {} })
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
  const startAgain = async () => {
    server = await startRedis({ port, ...options })
  }
  const kept = await createWorking()

  await t.test('a revocation that was answered with success applies from that moment on', async () => {
    const doomed = await createWorking()
    const answer = await revoke(doomed)
    assert.deepEqual([answer.status, answer.body], [200, { ok: true }])
    assert.equal(await askAsGateway(gateway, doomed.value), 'refused')
    assert.equal(await askAsGateway(gateway, kept.value), 'admitted')
  })

  await t.test('while Redis hangs it is pending, and the loop completes it afterwards', async (t) => {
    const doomed = await createWorking()
    await server.kill('SIGSTOP')
    const startedAt = performance.now()
    await assertPending(await revoke(doomed), doomed)
    const ms = performance.now() - startedAt
    assert.ok(ms < 10_000, `${ms} ms`)
    await server.kill('SIGCONT')
    const dead = await untilAnswered(gateway, doomed.value, 'refused')
    t.comment(`refused ${dead.ms} ms after Redis went on`)
    assert.ok(dead.ms < 5000, `${dead.ms} ms`)
    const alive = await untilAnswered(gateway, kept.value, 'admitted')
    assert.ok(!alive.before.has('refused'))
    // Control closed the silent connection.
    await control.redis.ready()
    assert.deepEqual((await revoke(doomed)).body, { ok: true })
  })

  await t.test('while Redis is away it is pending at once, and an empty Redis is filled again', async (t) => {
    const doomed = await createWorking()
    await server.kill('SIGKILL')
    const startedAt = performance.now()
    await assertPending(await revoke(doomed), doomed)
    await assertPending(await revoke(doomed), doomed)
    assert.ok(performance.now() - startedAt < 2 * redisSilenceLimitMs, 'neither waited for Redis to speak')
    await startAgain()
    const dead = await untilAnswered(gateway, doomed.value, 'refused')
    assert.ok(!dead.before.has('admitted'))
    const alive = await untilAnswered(gateway, kept.value, 'admitted')
    assert.ok(!alive.before.has('refused'))
    t.comment(`healed ${dead.ms + alive.ms} ms after an empty Redis was there`)
    await control.redis.ready()
    assert.deepEqual((await revoke(doomed)).body, { ok: true })
  })

  await t.test('a Redis restored from a dump without the revocation never admits the key', async (t) => {
    const doomed = await createWorking()
    await control.redis.client.save()
    assert.deepEqual((await revoke(doomed)).body, { ok: true })
    await server.kill('SIGKILL')
    await startAgain()
    const dead = await untilAnswered(gateway, doomed.value, 'refused')
    assert.deepEqual(
      [...dead.before].filter((answer) => answer !== 'unavailable'),
      []
    )
    const alive = await untilAnswered(gateway, kept.value, 'admitted')
    assert.ok(!alive.before.has('refused'))
    t.comment(`healed ${dead.ms + alive.ms} ms after the dump was there`)
  })

  await t.test('a FLUSHALL makes no key invalid, and Redis is filled again', async (t) => {
    const doomed = await createWorking()
    await revoke(doomed)
    await control.redis.client.flushall()
    const alive = await untilAnswered(gateway, kept.value, 'admitted')
    assert.ok(!alive.before.has('refused'))
    const dead = await untilAnswered(gateway, doomed.value, 'refused')
    assert.ok(!dead.before.has('admitted'))
    t.comment(`healed ${alive.ms + dead.ms} ms after FLUSHALL`)
    assert.ok(alive.ms < 5000)
  })

  await t.test('a key created while Redis is away is answered, and works soon after Redis returns', async (t) => {
    await server.kill('SIGKILL')
    const { value } = await create()
    await startAgain()
    const { ms, before } = await untilAnswered(gateway, value, 'admitted')
    assert.ok(!before.has('refused'))
    t.comment(`admitted ${ms} ms after Redis was there`)
  })
})
