import assert from 'node:assert/strict'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { openDatabase, queryRows } from '../database/connect.ts'
import { ledger } from '../database/schema/usage.ts'
import { newServerDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { createFairReads } from './caller-limits.ts'

/** Whether a promise has settled by the next turn. */
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false
  const note = () => {
    settled = true
  }
  promise.then(note, note)
  await new Promise(setImmediate)
  return settled
}

test('an account’s further reads wait in order, and those of others do not wait for them', async () => {
  const reads = createFairReads({ maxAtOnce: 2, maxWaiting: 2 })
  const first = await reads.enter('a')
  const second = await reads.enter('a')
  const third = reads.enter('a')
  const fourth = reads.enter('a')
  assert.equal(await isSettled(third), false)
  await assert.rejects(
    reads.enter('a'),
    (error) => error instanceof ServiceError && error.code === 'too_many_requests' && error.retryAfter! > 0
  )
  const other = await reads.enter('b')
  first()
  // Ending a read twice frees one place.
  first()
  assert.equal(await isSettled(third), true)
  assert.equal(await isSettled(fourth), false)
  second()
  for (const leave of [await third, await fourth, other]) leave()
  const again = [await reads.enter('a'), await reads.enter('a')]
  assert.equal(await isSettled(reads.enter('b')), true)
  for (const leave of again) leave()
})

test('one account with many heavy reads leaves connections to the others', async (t) => {
  const databaseUrl = await newServerDatabase(t)
  if (databaseUrl === null) return
  const control = await startControl({ databaseUrl, poolSize: 3 })
  t.after(() => control.close())
  const [ada, bob] = [await control.signUp(), await control.signUp()]
  const read = (path: string, cookie: string) => control.call('GET', path, { cookie })
  const elsewhere = await openDatabase(databaseUrl, { poolSize: 1 })
  t.after(() => elsewhere.close())

  let heavy: Array<ReturnType<typeof read>> = []
  await elsewhere.orm.transaction(async (tx) => {
    await tx.execute(sql`lock table ${ledger} in access exclusive mode`)
    heavy = Array.from({ length: 20 }, () => read('/api/usage', ada.cookie))
    // The first of them has a connection, and waits for the table.
    const waiting = sql`select from pg_locks where not granted and relation = ${'ledger'}::regclass`
    while ((await queryRows(tx, waiting)).length === 0);
    assert.equal((await read('/api/account', bob.cookie)).status, 200)
    assert.equal((await control.call('POST', '/api/keys', { cookie: bob.cookie, body: { label: 'x' } })).status, 201)
  })
  assert.deepEqual(new Set((await Promise.all(heavy)).map(({ status }) => status)), new Set([200]))
})
