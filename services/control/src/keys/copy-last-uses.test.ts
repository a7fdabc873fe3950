import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { lastUsesName } from '@tollgate/state/keyspace/names.ts'
import { noteUses, readUses } from '@tollgate/state/last-uses/last-uses.ts'
import { RedisAwayError, type RedisNode } from '@tollgate/state/link/redis-link.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { seedKeys } from '../projection/testing/ask-as-gateway.ts'
import { onEachDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { copyLastUses, createUseCopier } from './copy-last-uses.ts'

const past = Date.parse('2026-01-02T03:04:05.678Z')

async function until(holds: () => Promise<boolean>): Promise<void> {
  // With PGlite, a whole request runs in one turn of the event loop, and timers would never fire.
  while (!(await holds())) await setImmediate()
}

onEachDatabase('last uses', async (t, newDatabase) => {
  const databaseUrl = await newDatabase()
  const control = await startControl({ databaseUrl })
  t.after(() => control.close())
  const { orm } = control.database
  const { redis } = control
  const { cookie } = await control.signUp({ plan: 'pro' })
  const quiet = { info: () => {}, warn: () => {} }

  async function createKey(): Promise<string> {
    const { status, body } = await control.call('POST', '/api/keys', { cookie, body: { label: 'a key' } })
    assert.equal(status, 201)
    return (body as { key: { id: string } }).key.id
  }
  async function lastUsed(id: string): Promise<string | null> {
    const { body } = await control.call('GET', '/api/keys', { cookie })
    return (body as { keys: Array<{ id: string; last_used: string | null }> }).keys.find((key) => key.id === id)!
      .last_used
  }
  const countUsed = async () =>
    (await queryRows<{ count: string }>(orm, sql`select count(last_used_at)::text as count from keys`))[0]!.count

  await t.test('are listed soon after a gateway stored them, and removed from Redis', async () => {
    const id = await createKey()
    assert.equal(await lastUsed(id), null)
    const copier = createUseCopier({ database: control.database, redis, log: quiet, intervalMs: 20 })
    copier.start()
    try {
      await noteUses(redis, new Map([[id, past]]))
      await until(async () => (await lastUsed(id)) !== null)
      assert.equal(await lastUsed(id), '2026-01-02T03:04:05.678Z')
      await until(async () => (await readUses(redis)).size === 0)
    } finally {
      await copier.stop()
    }
  })

  await t.test('only move forward, do not change the version, and are never in the future', async () => {
    const [id, fast] = [await createKey(), await createKey()]
    const versionOf = async () =>
      (await queryRows<{ version: string }>(orm, sql`select version::text from keys where id = ${id}`))[0]!.version
    const version = await versionOf()
    for (const [noted, expected] of [
      [past, past],
      [past - 1, past],
      [past + 1, past + 1]
    ] as const) {
      await noteUses(redis, new Map([[id, noted]]))
      await copyLastUses(orm, redis)
      assert.equal(await lastUsed(id), new Date(expected).toISOString())
      assert.equal(await redis.client.exists(lastUsesName), 0)
    }
    assert.equal(await versionOf(), version)

    await noteUses(redis, new Map([[fast, Date.now() + 86_400_000]]))
    await copyLastUses(orm, redis)
    assert.ok(Math.abs(Date.now() - Date.parse((await lastUsed(fast))!)) < 60_000, 'from a clock that is a day fast')
  })

  await t.test('that arrive during a copy are not lost', async () => {
    const id = await createKey()
    await noteUses(redis, new Map([[id, past]]))
    // The moment between storing the uses and removing them from Redis.
    let isNoted = false
    const client = new Proxy(redis.client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name !== 'tgForgetUses') return value.bind(target)
        return async (...options: unknown[]) => {
          await noteUses(redis, new Map([[id, past + 5]]))
          isNoted = true
          return value.apply(target, options)
        }
      }
    })
    const interrupted: RedisNode = { ...redis, client }
    await copyLastUses(orm, interrupted)
    assert.ok(isNoted)
    assert.equal(await lastUsed(id), new Date(past).toISOString())
    assert.deepEqual(await readUses(redis), new Map([[id, past + 5]]))
    await copyLastUses(orm, redis)
    assert.equal(await lastUsed(id), new Date(past + 5).toISOString())
  })

  await t.test('are all copied by several concurrent replicas, and uses of unknown keys are removed', async () => {
    const count = 2500
    await seedKeys(orm, { count, accounts: 10 })
    const before = Number(await countUsed())
    const uses = new Map(
      Array.from({ length: count }, (_, number) => [`key_${String(number + 1).padStart(24, '0')}`, past + number])
    )
    await noteUses(redis, new Map([...uses, ['key_of nobody "', past]]))
    while ((await readUses(redis)).size > 0) {
      await Promise.all([copyLastUses(orm, redis), copyLastUses(orm, redis), copyLastUses(orm, redis)])
    }
    assert.equal(Number(await countUsed()), before + count)
    const [last] = await queryRows<{ at: string }>(
      orm,
      sql`select (extract(epoch from max(last_used_at)) * 1000)::bigint::text as at from keys
        where id like 'key_000000%'`
    )
    assert.equal(Number(last!.at), past + count - 1)
  })

  // PGlite has one connection, so no other transaction can hold a lock.
  if (databaseUrl !== 'pglite:memory') {
    await t.test('of a locked key wait for the next copy, and do not delay others', async () => {
      const [locked, free] = ['key_000000000000000000000001', 'key_000000000000000000000002']
      const later = past + 10_000
      await noteUses(redis, new Map([locked, free].map((id) => [id, later])))
      await orm.transaction(async (tx) => {
        await tx.execute(sql`select id from keys where id = ${locked} for update`)
        await copyLastUses(orm, redis)
        assert.deepEqual(await readUses(redis), new Map([[locked, later]]))
      })
      await copyLastUses(orm, redis)
      assert.equal((await readUses(redis)).size, 0)
    })
  }

  await t.test('are kept while Redis or the database fails; control logs the failure once', async () => {
    const id = await createKey()
    await noteUses(redis, new Map([[id, past]]))
    const said: string[] = []
    const log = {
      info: (message: unknown) => void said.push(String(message)),
      warn: (_values: unknown, message?: string) => void said.push(String(message))
    }
    let attempts = 0
    const flaky: RedisNode = {
      ...redis,
      client: redis.client,
      run() {
        if (++attempts <= 3) throw new RedisAwayError()
        return redis.run()
      }
    }
    const copier = createUseCopier({ database: control.database, redis: flaky, log, intervalMs: 5 })
    copier.start()
    await until(async () => (await lastUsed(id)) !== null)
    await until(async () => said.length >= 2)
    await copier.stop()
    assert.deepEqual(said, [
      'last uses of keys are not copied from Redis to PostgreSQL',
      'last uses of keys are copied from Redis to PostgreSQL again'
    ])

    await noteUses(redis, new Map([[id, past + 1]]))
    const broken = Object.assign(Object.create(orm) as typeof orm, {
      execute: () => Promise.reject(new Error('the database is away'))
    })
    await assert.rejects(copyLastUses(broken, redis), /the database is away/)
    assert.deepEqual(await readUses(redis), new Map([[id, past + 1]]))
    await copyLastUses(orm, redis)
    assert.equal(await lastUsed(id), new Date(past + 1).toISOString())
  })
})
