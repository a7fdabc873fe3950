import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { onEachDatabase, openTestDatabase } from '../testing/databases.ts'
import { newPgliteDirectory, removePgliteDirectory } from '../testing/pglite-directory.ts'
import { type Orm, openDatabase, queryRows } from './connect.ts'
import { listPendingMigrations, migrate, migrateWhenReachable } from './migrate.ts'
import { accounts } from './schema/accounts.ts'
import { keys } from './schema/keys.ts'
import { catalogs, projection, shards } from './schema/projection.ts'
import { sessions, users } from './schema/users.ts'

onEachDatabase('migrations', async (t, newDatabase) => {
  const url = await newDatabase('empty')
  // Only one process can open PGlite, so there is one replica.
  const replicas = await Promise.all(
    Array.from({ length: url === 'pglite:memory' ? 1 : 5 }, () => openTestDatabase(url))
  )
  t.after(() => Promise.all(replicas.map((replica) => replica.close())))
  const { orm } = replicas[0]!

  await t.test('replicas that start at once apply each migration once', async () => {
    const counts = await Promise.all(replicas.flatMap((replica) => [migrate(replica.orm), migrate(replica.orm)]))
    const applied = await queryRows(orm, sql`select id from migrations`)
    assert(applied.length > 0)
    assert.deepEqual(counts.sort(), [...Array(counts.length - 1).fill(0), applied.length])
  })

  await t.test('the schema in the code matches the database', async () => {
    for (const table of [users, sessions, accounts, keys, shards, projection, catalogs]) {
      assert.deepEqual(await orm.select().from(table), [])
    }
  })

  await t.test('after a deadlock with a replica that serves, it is tried again', async () => {
    const warned: string[] = []
    let isFirst = true
    const flaky = {
      transaction(work: never) {
        if (!isFirst) return orm.transaction(work)
        isFirst = false
        const cause = Object.assign(new Error('deadlock detected'), { code: '40P01' })
        return Promise.reject(new Error('Failed query', { cause }))
      }
    } as unknown as Orm
    await migrateWhenReachable(flaky, {
      info: () => {},
      warn: (_facts: unknown, text?: string) => void warned.push(text ?? '')
    })
    assert.deepEqual([isFirst, warned], [false, ['other replicas use the tables; retrying']])
  })

  await t.test('a later start applies nothing, and keeps migrations of a newer release', async () => {
    await orm.execute(sql`insert into migrations (id, sha256) values (9999999999999, 'newer release')`)
    assert.equal(await migrate(orm), 0)
  })

  const other = await openTestDatabase(await newDatabase('empty'))
  t.after(() => other.close())

  await t.test('a database of a release before the first migration is refused, and stays as it is', async () => {
    await other.orm.execute(sql`create table migrations (id bigint primary key, sha256 text not null)`)
    // The last migration of 0.2.0.
    await other.orm.execute(sql`insert into migrations values (1795413201950, 'ledger months')`)
    const refusal = /^DatabaseTooOldError: .* of a release before 0\.3\.0\. Upgrade to 0\.3\.0 first/
    await assert.rejects(migrate(other.orm), refusal)
    await assert.rejects(listPendingMigrations(other.orm), refusal)
    assert.equal(await nameTables(other.orm), 'migrations')
  })

  await t.test('a database of 0.3.0 lacks only the migrations after the first', async () => {
    await other.orm.execute(sql`insert into migrations values (1795865482787, 'key pauses')`)
    const pending = await listPendingMigrations(other.orm)
    const [applied] = await queryRows<{ count: number }>(
      orm,
      sql`select count(*)::int as count from migrations where sha256 <> 'newer release'`
    )
    assert.equal(pending.length, applied!.count - 1)
    assert.ok(!pending.includes('0000_baseline'))
  })

  await t.test('a failed migration changes nothing', async () => {
    await other.orm.execute(sql`drop table migrations`)
    // Makes the first migration fail halfway.
    await other.orm.execute(sql`create table users (id text)`)
    await assert.rejects(migrate(other.orm))
    assert.equal(await nameTables(other.orm), 'users')
  })
})

async function nameTables(orm: Orm): Promise<string> {
  const tables = await queryRows<{ name: string }>(
    orm,
    sql`select table_name::text as name from information_schema.tables where table_schema = 'public'`
  )
  return tables.map(({ name }) => name).join()
}

test('a PGlite directory keeps its data, and only one process at a time can open it', async (t) => {
  const directory = await newPgliteDirectory('empty')
  t.after(() => removePgliteDirectory(directory))
  const url = `pglite:${directory}`
  const first = await openDatabase(url)
  await migrate(first.orm)
  await first.orm.insert(shards).values({ name: 'a00', version: 7 })
  await assert.rejects(openDatabase(url), /is open in process \d+; only one process may use it/)
  await first.close()

  const second = await openDatabase(url)
  t.after(() => second.close())
  assert.equal(await migrate(second.orm), 0)
  assert.deepEqual(await second.orm.select().from(shards), [{ name: 'a00', version: 7, purged: 0 }])
})

test('a URL of another form is rejected', async () => {
  for (const url of ['mysql://localhost/x', 'pglite:', 'postgres', '']) {
    await assert.rejects(openDatabase(url), /a database URL begins with/)
  }
})
