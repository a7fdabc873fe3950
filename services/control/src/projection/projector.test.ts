import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { testsAll } from '@tollgate/sandbox/property-runs.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { allShards, catalogName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { readCatalog } from '@tollgate/state/projection/stored-catalog.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import { type Test, test } from 'tap'
import { contentOf, publishCatalog } from '../catalog/publish-catalog.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { createDatabase } from '../testing/create-database.ts'
import { onDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { createProjector, type ProjectorOptions } from './projector.ts'
import { recordChange } from './record-change.ts'
import { askAsGateway, seedKeys, untilAnswered } from './testing/ask-as-gateway.ts'

const catalog = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
const program = findRedisServer(process.env)
const keyId = (number: number) => `key_${String(number).padStart(24, '0')}`

/** The log of a projector, as `<level> <message>`. */
function createTestLog() {
  const lines: string[] = []
  const at = (level: string) => (values: unknown, message?: string) => {
    lines.push(`${level} ${message ?? String(values)}`)
  }
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } }
}

async function connect(t: Test, url: string): Promise<RedisNode> {
  const link = connectServer(url, { name: 'test', silenceTimeoutMs: 10_000, onError: () => {} })
  t.after(() => link.close())
  await link.ready()
  return link
}

async function openMigrated(t: Test, url?: string): Promise<Database> {
  const database = await openMigratedDatabase(url)
  t.after(() => database.close())
  return database
}

function project(t: Test, options: Omit<ProjectorOptions, 'log'>) {
  const { lines, log } = createTestLog()
  const projector = createProjector({ log, ...options })
  t.after(() => projector.stop())
  projector.start()
  return { projector, lines }
}

/** Changes a key as an endpoint does, without notifying the projector. */
async function changeKey(database: Database, number: number, set: Partial<typeof keys.$inferInsert>): Promise<void> {
  await database.orm.transaction(async (tx) => {
    const [row] = await tx
      .select()
      .from(keys)
      .where(eq(keys.id, keyId(number)))
    const version = await recordChange(tx, [row!.accountShard as 'a00', row!.secretShard as 'k00'])
    await tx
      .update(keys)
      .set({ ...set, version })
      .where(eq(keys.id, keyId(number)))
  })
}

/** The columns of a table except computed ones, which cannot be inserted. */
async function writableColumns(orm: Orm, table: string): Promise<SQL> {
  const columns = await queryRows<{ name: string }>(
    orm,
    sql`select column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'`
  )
  return sql.join(
    columns.map(({ name }) => sql.identifier(name)),
    sql`, `
  )
}

const revokedNow = () => ({ status: 'revoked' as const, revokedAt: new Date() })

/** Resolves when all shards are verified for the running process. */
async function untilVerified(redis: RedisNode): Promise<void> {
  for (;;) {
    const markers = [...(await readShards(redis)).markers.values()]
    if (markers.every(({ run, version }) => run === redis.run() && version !== null)) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

onDatabase('the projector', async (t, newDatabase) => {
  if (!need(t, 'redis-server', program)) return
  const server = await leaseRedis({ program })
  t.after(() => server.giveBack())
  const databaseUrl = await newDatabase()
  const many = testsAll ? 2000 : 300
  const database = await openMigrated(t, databaseUrl)
  const { orm } = database
  const redis = await connect(t, server.url)
  const notices = redis.client.duplicate({ enableOfflineQueue: true })
  t.after(() => notices.disconnect())
  await notices.subscribe('changes')
  const nextNotice = () =>
    new Promise((resolve) => notices.once('message', (_channel, text) => resolve(JSON.parse(text))))
  await seedKeys(orm, { count: 200, accounts: 20 })

  await t.test('a single change is written, announced and acknowledged at once, without the loop', async () => {
    const [row] = await orm
      .select()
      .from(keys)
      .where(eq(keys.id, keyId(1)))
    const { accountId: account, accountShard, id } = row!
    const { log, lines } = createTestLog()
    const projector = createProjector({ database, redis, log })
    const heard = nextNotice()
    assert.equal(await projector.keyChanged(account, id), true)
    assert.deepEqual(await heard, { kind: 'key', account, key: id })
    assert.equal(await projector.keyChanged(account, id), true)
    await projector.accountChanged(account)
    assert.equal(await redis.client.exists(`acct:{${accountShard}}:${account}`), 1)
    assert.equal(await projector.keyChanged(account, keyId(999)), false)
    assert.deepEqual(lines, [])
  })

  await t.test('a change that Redis cannot store now is not acknowledged, and nothing throws', async (t) => {
    const away = await connect(t, server.url)
    await away.close()
    const { log, lines } = createTestLog()
    const projector = createProjector({ database, redis: away, log })
    const [row] = await orm
      .select()
      .from(keys)
      .where(eq(keys.id, keyId(1)))
    assert.equal(await projector.keyChanged(row!.accountId, row!.id), false)
    await projector.accountChanged(row!.accountId)
    assert.deepEqual(lines, Array(2).fill('warn a change could not be written to Redis at once; the loop writes it'))
  })

  await t.test('the newest catalog is projected, announced when replaced, and restored in Redis', async (t) => {
    const untilCatalog = async (json: string) => {
      for (;;) {
        const stored = await readCatalog(redis)
        if (stored?.json === json && stored.run === redis.run()) return stored.version
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    const publish = (content: Catalog) =>
      publishCatalog(orm, contentOf(content, ''), { mode: 'publish-new', at: new Date(), operator: null })
    const both = await Promise.all([publish(catalog), publish(catalog)])
    assert.deepEqual(both.map(({ outcome }) => outcome).sort(), ['in force', 'published'], 'replicas publish it once')
    const { projector } = project(t, { database, redis, intervalMs: 50 })
    const version = await untilCatalog(JSON.stringify(catalog))
    await redis.client.del(catalogName)
    assert.equal(await untilCatalog(JSON.stringify(catalog)), version)
    await projector.stop()

    const changed = structuredClone(catalog)
    changed.plans.free!.keyQuota = 2
    const announced = nextNotice()
    await publish(changed)
    assert.equal(await projector.catalogChanged(), true, 'without the loop')
    assert.ok((await untilCatalog(JSON.stringify(changed))) > version)
    assert.deepEqual(await announced, { kind: 'catalog' })
  })

  await t.test('several projectors write everything while changes go on', async (t) => {
    await redis.client.flushall()
    const links = [redis, await connect(t, server.url), await connect(t, server.url)]
    const projectors = links.map((link) => project(t, { database, redis: link, intervalMs: 50 }))
    await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        await changeKey(database, number + 1, number % 2 === 0 ? revokedNow() : { models: ['one'] })
        if (number === 30) await redis.client.flushall()
      })
    )
    for (let number = 1; number <= 200; number++) {
      const wanted = number <= 60 && number % 2 === 1 ? 'refused' : 'admitted'
      await untilAnswered(redis, `secret ${number}`, wanted)
    }
    for (const { projector, lines } of projectors) {
      await projector.stop()
      assert.deepEqual(
        lines.filter((line) => !line.startsWith('info')),
        []
      )
    }
  })

  await t.test(
    'a restored PostgreSQL is noticed: lost changes no longer apply, except that revoked keys stay revoked',
    async (t) => {
      const { lines } = project(t, { database, redis, intervalMs: 50 })
      const tables = ['accounts', 'keys', 'shards', 'projection'].map((name) => sql.identifier(name))
      for (const table of tables) {
        await orm.execute(sql`create table ${sql.identifier(`saved_${table.value}`)} as select * from ${table}`)
      }
      await orm.execute(sql`create table saved_changes as select last_value from changes`)
      await changeKey(database, 102, revokedNow())
      await seedKeys(orm, { count: 1, accounts: 20, from: 200 })
      await untilAnswered(redis, 'secret 102', 'refused')
      await untilAnswered(redis, 'secret 201', 'admitted')

      await orm.transaction(async (tx) => {
        for (const table of [...tables].reverse()) await tx.execute(sql`delete from ${table}`)
        for (const table of tables) {
          const columns = await writableColumns(tx, table.value)
          await tx.execute(
            sql`insert into ${table} (${columns}) select ${columns} from ${sql.identifier(`saved_${table.value}`)}`
          )
        }
        await tx.execute(sql`select setval('changes', (select last_value from saved_changes))`)
      })
      await untilAnswered(redis, 'secret 201', 'refused')
      await untilAnswered(redis, 'secret 200', 'admitted')
      assert.equal(await askAsGateway(redis, 'secret 1'), 'refused')
      assert.equal(await askAsGateway(redis, 'secret 102'), 'refused')
      const [row] = await orm
        .select()
        .from(keys)
        .where(eq(keys.id, keyId(102)))
      assert.equal(row!.status, 'revoked')
      assert.deepEqual(
        lines.filter((line) => line.startsWith('warn')),
        [
          'warn PostgreSQL was restored to a state before these keys were revoked or rotated. They are revoked or rotated again, because Redis knows of it',
          'warn PostgreSQL or Redis was restored to an earlier state; everything is written to Redis again'
        ]
      )
    }
  )

  await t.test(`${many} keys reach an empty Redis, and unreported changes follow within a pass`, async (t) => {
    await seedKeys(orm, { count: many, accounts: many / 10, from: 1000 })
    await redis.client.flushall()
    const startedAt = performance.now()
    const { lines } = project(t, { database, redis, intervalMs: 200 })
    await untilVerified(redis)
    t.comment(`${many} keys of ${many / 10} accounts in ${Math.round(performance.now() - startedAt)} ms`)
    const middle = 1000 + many / 2
    for (const number of [1001, middle, 1000 + many])
      assert.equal(await askAsGateway(redis, `secret ${number}`), 'admitted')
    assert.equal(await askAsGateway(redis, `secret ${1001 + many}`), 'refused')

    await changeKey(database, middle, revokedNow())
    const { ms } = await untilAnswered(redis, `secret ${middle}`, 'refused')
    assert.ok(ms < 5000, `${ms} ms`)
    await seedKeys(orm, { count: 1, accounts: many / 10, from: 1000 + many })
    await untilAnswered(redis, `secret ${1001 + many}`, 'admitted')
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('info')),
      []
    )
  })
})

test('after a reconnect a pass begins at once, even with a long interval', async (t) => {
  if (!need(t, 'redis-server', program)) return
  let server = await startRedis({ port: 0, program })
  t.after(() => server.stop())
  const database = await openMigrated(t)
  await seedKeys(database.orm, { count: 10, accounts: 1 })
  const redis = await connect(t, server.url)
  project(t, { database, redis, intervalMs: 3_600_000 })
  await untilAnswered(redis, 'secret 1', 'admitted')
  await server.kill('SIGKILL')
  server = await startRedis({ port: server.port, program })
  const { ms } = await untilAnswered(redis, 'secret 1', 'admitted')
  t.comment(`updated ${ms} ms after an empty Redis had started`)
})

test('stop ends the loop, even during a replay and while Redis is unavailable', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const server = await leaseRedis({ program })
  t.after(() => server.giveBack())
  const database = await openMigrated(t)
  await seedKeys(database.orm, { count: 2000, accounts: 100 })
  const redis = await connect(t, server.url)
  const { projector } = project(t, { database, redis })
  for (let verified = 0; verified < 20; ) {
    verified = [...(await readShards(redis)).markers.values()].filter(({ version }) => version !== null).length
  }
  await projector.stop()
  const { markers } = await readShards(redis)
  assert.ok([...markers.values()].filter(({ version }) => version !== null).length < allShards.length)
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual((await readShards(redis)).markers, markers)

  await server.stop()
  const away = project(t, { database, redis }).projector
  await away.stop()
})

test('while PostgreSQL is unavailable the loop logs it once, and continues afterwards', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const postgres = await startPostgres()
  if (!need(t, 'PostgreSQL', postgres)) return
  t.after(() => postgres.stop())
  const server = await leaseRedis({ program })
  t.after(() => server.giveBack())
  const database = await openMigrated(t, await createDatabase(postgres.url))
  await seedKeys(database.orm, { count: 10, accounts: 1 })
  const redis = await connect(t, server.url)
  const { lines } = project(t, { database, redis, intervalMs: 20 })
  await untilAnswered(redis, 'secret 1', 'admitted')
  await postgres.kill('SIGINT')
  while (!lines.some((line) => line.startsWith('warn'))) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(await askAsGateway(redis, 'secret 1'), 'admitted')
  await redis.client.flushall()
  await postgres.restart()
  const { before } = await untilAnswered(redis, 'secret 1', 'admitted')
  assert.ok(!before.has('refused'))
  assert.deepEqual(
    lines.filter((line) => !line.startsWith('info')),
    ['warn Redis could not be updated']
  )
})
