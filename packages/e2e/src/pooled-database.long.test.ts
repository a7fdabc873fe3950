import assert from 'node:assert/strict'
import { openDatabase } from '@tollgate/control/database/connect.ts'
import { inspectDatabase } from '@tollgate/control/database/inspect-database.ts'
import { createDatabase } from '@tollgate/control/testing/create-database.ts'
import { openMigratedDatabase } from '@tollgate/control/testing/databases.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { test } from 'tap'
import { findPgbouncer, startPgbouncer } from './chaos/system/pgbouncer.ts'

test('the facts of a database are the same directly and behind a pooler, which is noticed', async (t) => {
  if (!need(t, 'pgbouncer', findPgbouncer())) return
  const server = await startPostgres({ fsync: true })
  if (!need(t, 'PostgreSQL', server)) return
  t.after(() => server.stop())
  const url = await createDatabase(server.url)
  await (await openMigratedDatabase(url)).close()
  const pooler = await startPgbouncer(url, t.testdir())
  t.after(() => pooler.stop())
  const inspect = async (address: string) => {
    const database = await openDatabase(address, { poolSize: 1 })
    try {
      const { timeMs, ...facts } = await inspectDatabase(database)
      assert.ok(timeMs > 0)
      return facts
    } finally {
      await database.close()
    }
  }
  const direct = await inspect(url)
  assert.equal(direct.isPooled, false)
  assert.equal(direct.pendingMigrations, 0)
  assert.deepEqual(
    direct.tables.filter(({ exists, missing }) => !exists || missing.length > 0),
    []
  )
  assert.deepEqual(await inspect(pooler.url), { ...direct, isPooled: true })
})
