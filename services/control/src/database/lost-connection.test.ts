import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { type Database, openDatabase, queryRows } from './connect.ts'

const writeOne = sql`insert into written values (1)`

async function countWritten({ orm }: Database): Promise<number> {
  const [row] = await queryRows<{ count: number }>(orm, sql`select count(*)::int as count from written`)
  return row!.count
}

test('a transaction whose connection was lost between two statements', async (t) => {
  const server = await startPostgres()
  if (!need(t, 'PostgreSQL', server)) return
  const [database, other] = [await openDatabase(server.url, { poolSize: 1 }), await openDatabase(server.url)]
  t.after(async () => {
    await Promise.all([database.close(), other.close()])
    await server.stop()
  })
  await other.orm.execute(sql`create table written (number int)`)

  /** @param meanwhile runs after the transaction has failed, and before its callback continues */
  async function continueAfterLoss(meanwhile: () => Promise<unknown>): Promise<PromiseSettledResult<unknown>> {
    const failed = Promise.withResolvers<void>()
    const continued = Promise.withResolvers<PromiseSettledResult<unknown>>()
    const transaction = database.orm.transaction(async (tx) => {
      const [row] = await queryRows<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`)
      await other.orm.execute(sql`select pg_terminate_backend(${row!.pid})`)
      await failed.promise
      const [outcome] = await Promise.allSettled([tx.execute(writeOne)])
      continued.resolve(outcome)
    })
    await assert.rejects(transaction)
    await meanwhile()
    failed.resolve()
    return continued.promise
  }

  await t.test('fails, and the process continues', async () => {
    assert.equal((await continueAfterLoss(async () => {})).status, 'rejected')
    assert.equal(await countWritten(database), 0)
  })

  await t.test('writes nothing through the new connection', async () => {
    assert.equal((await continueAfterLoss(() => countWritten(database))).status, 'rejected')
    assert.equal(await countWritten(database), 0)
  })
})
