import assert from 'node:assert/strict'
import { digestSecret } from '@tollgate/contracts/keys/secret.ts'
import { readKeyRecord } from '@tollgate/contracts/records/records.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountName, accountShard, pointerName } from '@tollgate/state/keyspace/names.ts'
import { sweepTombstones } from '@tollgate/state/projection/sweep-tombstones.ts'
import { putKeyRecord } from '@tollgate/state/projection/write-records.ts'
import { eq, sql } from 'drizzle-orm'
import { test } from 'tap'
import { keys } from '../database/schema/keys.ts'
import { shards } from '../database/schema/projection.ts'
import { createPostgresSource } from '../projection/postgres-source.ts'
import { recordChange } from '../projection/record-change.ts'
import { askAsGateway, untilAnswered } from '../projection/testing/ask-as-gateway.ts'
import { oldRows } from '../retention/old-rows.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import type { TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

interface Created {
  id: string
  value: string
}

test('an account that constantly changes its keys', async (t) => {
  const program = findRedisServer(process.env)
  if (!need(t, 'redis-server', program)) return
  const server = await leaseRedis({ program })
  const control = await startControl({ redisUrl: server.url, isProjecting: true })
  t.after(async () => {
    await control.close()
    await server.giveBack()
  })
  const { call, redis, database } = control
  const { client } = redis
  const create = ({ cookie }: TestUser) => call('POST', '/api/keys', { cookie, body: { label: 'a key' } })
  const revoke = ({ cookie }: TestUser, id: string) => call('DELETE', `/api/keys/${id}`, { cookie })
  const keyOf = (answer: Answer): Created => {
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return (answer.body as { key: Created }).key
  }
  /** Creates and revokes keys until control refuses a call. @returns the refusal, and the number of calls before it */
  async function churn(user: TestUser, most: number): Promise<{ cycles: number; refusal: Answer | null }> {
    for (let cycles = 0; cycles < most; cycles++) {
      const answer = await create(user)
      if (answer.status !== 201) return { cycles, refusal: answer }
      assert.equal((await revoke(user, keyOf(answer).id)).status, 200)
    }
    return { cycles: most, refusal: null }
  }
  /** Sweeps until the account has no tombstone, as if an hour had passed. */
  async function sweepAll({ id }: { id: string }): Promise<void> {
    const shard = accountShard(id)
    const left = async () => (await client.zrange(`tombstones:{${shard}}`, 0, '-1')).some((name) => name.startsWith(id))
    while (await left()) {
      await sweepTombstones(redis, { shards: [shard], keptMs: 0 })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))![1])

  await t.test('gets 429 above its plan’s limit, but can still revoke keys', async () => {
    const user = await control.signUp({ plan: 'free' })
    const { cycles, refusal } = await churn(user, 100)
    assert.equal(cycles, 10)
    assert.deepEqual([refusal!.status, codeOf(refusal!)], [429, 'too_many_requests'])
    const wait = Number(refusal!.headers['retry-after'])
    assert.ok(wait > 0 && wait <= 120, String(wait))
    // As if time had passed: PostgreSQL's clock decides.
    control.passTime(-3_600_000)
    assert.equal((await create(user)).status, 429)
    control.passTime(7_200_000)
    assert.equal((await create(user)).status, 429)
    control.passTime(-3_600_000)
    const sooner = sql`key_changes_until = key_changes_until - ${`${wait} s`}::interval`
    await database.orm.execute(sql`update accounts set ${sooner} where id = ${user.id}`)
    const { id } = keyOf(await create(user))
    const rotation = await call('POST', `/api/keys/${id}/rotate`, { cookie: user.cookie })
    const change = await call('PATCH', `/api/keys/${id}`, { cookie: user.cookie, body: { label: 'x' } })
    assert.deepEqual([rotation.status, change.status], [429, 429])
    assert.deepEqual((await revoke(user, id)).body, { ok: true })
    assert.equal((await create(await control.signUp({ plan: 'free' }))).status, 201)
  })

  await t.test('shares one limit between changes of its cap and of its keys', async () => {
    const user = await control.signUp({ plan: 'free' })
    const setCap = (usd: number | null) =>
      call('PATCH', '/api/account', { cookie: user.cookie, body: { monthly_budget_usd: usd } })
    for (let change = 1; change <= 10; change++) assert.equal((await setCap(change / 100)).status, 200)
    const refusal = await setCap(0.5)
    assert.deepEqual([refusal.status, codeOf(refusal)], [429, 'too_many_requests'])
    assert.ok(Number(refusal.headers['retry-after']) > 0)
    assert.equal((await create(user)).status, 429)
    // A repeated call changes nothing, and reports whether the change is in force.
    assert.equal((await setCap(0.1)).status, 200)
  })

  /** The number of names that do not expire. Those of rate limits expire within the test on a slow machine. */
  async function lastingNames(): Promise<number> {
    const times = await Promise.all((await client.keys('*')).map((name) => client.pttl(name)))
    return times.filter((ms) => ms === -1).length
  }

  await t.test('leaves nothing in Redis after its tombstones expire', async () => {
    const user = await control.signUp({ plan: 'enterprise' })
    keyOf(await create(user))
    await churn(user, 1)
    await sweepAll(user)
    const fields = await client.hlen(accountName(user.id))
    for (const name of await client.keys('key:*')) if ((await client.pttl(name)) >= 0) await client.del(name)
    const [names, bytes] = [await lastingNames(), (await client.memory('USAGE', accountName(user.id)))!]
    const before = await usedMemory()
    await churn(user, 100)
    const churned = await usedMemory()
    assert.equal(await client.hlen(accountName(user.id)), fields + 200)
    await sweepAll(user)
    assert.equal(await client.hlen(accountName(user.id)), fields)
    for (const name of await client.keys('key:*')) {
      const ms = await client.pttl(name)
      if (ms >= 0) {
        assert.ok(ms <= 3_600_000 + 60_000, `${name} expires in ${ms} ms`)
        await client.del(name)
      }
    }
    t.comment(`bytes in Redis per cycle: ${(churned - before) / 100} within the hour`)
    assert.equal(await lastingNames(), names)
    const rest = (await client.memory('USAGE', accountName(user.id)))!
    t.comment(`bytes of the account before and after 100 cycles: ${bytes}, ${rest}`)
    // Redis shrinks a hash's table later.
    assert.ok(rest - bytes < 4096, `${rest - bytes} bytes remain of 100 cycles`)
  })

  await t.test('gets 401 for revoked keys at every stage', async () => {
    const user = await control.signUp({ plan: 'enterprise' })
    const key = keyOf(await create(user))
    const otherKey = keyOf(await create(user))
    await untilAnswered(redis, otherKey.value, 'admitted')
    const json = (await client.hget(accountName(user.id), `r:${key.id}`))!
    const [{ version } = { version: 0 }] = await database.orm.select().from(keys).where(eq(keys.id, key.id))
    await revoke(user, key.id)
    const assertRefused = async (stage: string) => assert.equal(await askAsGateway(redis, key.value), 'refused', stage)
    await assertRefused('tombstone')
    await sweepAll(user)
    await assertRefused('swept')
    assert.deepEqual((await revoke(user, key.id)).body, { ok: true })
    assert.equal(await client.hexists(accountName(user.id), `r:${key.id}`), 0)
    await putKeyRecord(redis, user.id, key.id, version, readKeyRecord(json))
    await assertRefused('an older state arrived late')
    await client.del(pointerName(digestSecret(key.value)))
    await assertRefused('its pointer has expired')
    await client.flushall()
    await untilAnswered(redis, otherKey.value, 'admitted')
    await untilAnswered(redis, key.value, 'refused')
  })

  await t.test('is written to Redis again if Redis returns with a key that PostgreSQL has deleted', async () => {
    const user = await control.signUp({ plan: 'enterprise' })
    const [key, otherKey] = [keyOf(await create(user)), keyOf(await create(user))]
    await untilAnswered(redis, otherKey.value, 'admitted')
    const shard = accountShard(user.id)
    const marker = await client.dumpBuffer(`shard:{${shard}}`)
    const old = await client.dumpBuffer(accountName(user.id))
    await revoke(user, key.id)
    await control.database.orm
      .update(keys)
      .set({ revokedAt: new Date(0) })
      .where(eq(keys.id, key.id))
    assert.equal(await oldRows.keys.prune(database.orm, new Date(1)), 1)
    assert.ok((await database.orm.select().from(shards).where(eq(shards.name, shard)))[0]!.purged > 0)
    const pipeline = client.multi()
    pipeline.restore(accountName(user.id), 0, old!, 'REPLACE').restore(`shard:{${shard}}`, 0, marker!, 'REPLACE')
    await pipeline.exec()
    await untilAnswered(redis, key.value, 'refused')
    await untilAnswered(redis, otherKey.value, 'admitted')
    assert.equal(await askAsGateway(redis, key.value), 'refused')
  })

  await t.test('writes only the pointers of a rotation', async () => {
    const user = await control.signUp({ plan: 'enterprise' })
    const { id } = keyOf(await create(user))
    for (let count = 0; count < 20; count++) {
      keyOf(await call('POST', `/api/keys/${id}/rotate`, { cookie: user.cookie }))
    }
    const writes = await createPostgresSource(database.orm).writesOfKey(user.id, id)
    assert.deepEqual(
      writes.map(({ kind }) => kind),
      ['key', 'pointer', 'pointer']
    )
  })

  await t.test('does not stop other accounts when Redis is nearly full', async () => {
    const user = await control.signUp({ plan: 'free' })
    await client.config('SET', 'maxmemory', String((await usedMemory()) + 150_000))
    try {
      const { refusal } = await churn(user, 1000)
      assert.equal(refusal!.status, 429)
      // Like an admission, this is refused as soon as Redis is full.
      await client.set('probe', 'x', 'PX', 1000)
    } finally {
      await client.config('SET', 'maxmemory', 0)
    }
  })

  await t.test('with 10,000 keys leaves nothing in Redis after it is deleted', async () => {
    const user = await control.signUp({ plan: 'enterprise' })
    const last = keyOf(await create(user))
    const shard = accountShard(user.id)
    await database.orm.transaction(async (tx) => {
      const version = await recordChange(tx, [shard, 'k00'])
      await tx.execute(sql`
        insert into keys (id, account_id, label, scope, prefix, digest, status, account_shard, secret_shard, version, created_at)
        select 'key_many' || lpad(number::text, 20, '0'), ${user.id}, 'key', 'inference', 'prefix00',
          '00' || lpad(number::text, 62, '0'), 'active', ${shard}, 'k00', ${version}, now()
        from generate_series(1, 10000) as number`)
    })
    while ((await client.hlen(accountName(user.id))) < 20_002) await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal((await call('DELETE', '/api/auth/me', { cookie: user.cookie })).status, 200)
    await untilAnswered(redis, last.value, 'refused')
    while ((await client.zcard(`tombstones:{${shard}}`)) < 10_002)
      await new Promise((resolve) => setTimeout(resolve, 100))
    await sweepAll(user)
    assert.equal(await client.exists(accountName(user.id)), 0)
    assert.equal(await askAsGateway(redis, last.value), 'refused')
  })
})
