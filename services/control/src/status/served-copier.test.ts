import assert from 'node:assert/strict'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { addServed, hourOf } from '@tollgate/state/served/served.ts'
import { noneServed } from '@tollgate/state/served/served-row.ts'
import { asc, sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { servedHours } from '../database/schema/served.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { copyServedHours } from './served-copier.ts'
import { foldDays } from './served-days.ts'
import { readServedHistory } from './served-hours.ts'

const hourMs = 3_600_000
const midnight = Date.UTC(2027, 2, 1)

onEachDatabase('the history of the status', async (t, newDatabase) => {
  const { orm, close } = await openMigratedDatabase(await newDatabase())
  t.after(close)
  const { url, giveBack } = await leaseRedis()
  const redis = connectServer(url, { name: 'test', silenceTimeoutMs: 60_000, onError: () => {} })
  await redis.ready()
  t.after(async () => {
    await redis.close()
    await giveBack()
  })
  t.beforeEach(async () => {
    await redis.client.flushall()
    await orm.delete(servedHours)
  })
  let sequence = 0
  const serve = (at: number, successes: number, failures = 0, model = 'a/model') =>
    addServed(redis, {
      hour: hourOf(at),
      reporter: 'one',
      sequence: ++sequence,
      rows: new Map([[model, { ...noneServed(), successes, failures }]])
    })
  /** Two replicas copy at once. */
  const copy = (now: number) => Promise.all([1, 2].map(() => copyServedHours(orm, redis, now)))
  const stored = async () =>
    (await orm.select().from(servedHours).orderBy(asc(servedHours.hour), asc(servedHours.model))).map(
      ({ hour, model, successes, failures }) => [hour.toISOString().slice(0, 13), model, successes, failures]
    )

  await t.test(
    'hours that have ended are copied once, by any number of replicas, on both sides of midnight',
    async () => {
      await serve(midnight - 1, 7, 2)
      await serve(midnight, 5)
      await serve(midnight, 1, 1, 'other')
      await serve(midnight + hourMs, 99)
      for (let round = 0; round < 3; round++) await copy(midnight + 1.5 * hourMs)
      assert.deepEqual(await stored(), [
        ['2027-02-28T23', 'a/model', 7, 2],
        ['2027-03-01T00', 'a/model', 5, 0],
        ['2027-03-01T00', 'other', 1, 1]
      ])
    }
  )

  await t.test('late reports raise an hour, and a Redis that lost everything lowers none', async () => {
    const now = midnight + 3 * hourMs
    await serve(midnight, 50, 5)
    await copy(now)
    await serve(midnight, 1, 1)
    await copy(now)
    assert.deepEqual(await stored(), [['2027-03-01T00', 'a/model', 51, 6]])
    await redis.client.flushall()
    await copy(now)
    await serve(midnight, 3, 9)
    await serve(midnight + hourMs, 4)
    await copy(now)
    assert.deepEqual(await stored(), [
      ['2027-03-01T00', 'a/model', 51, 9],
      ['2027-03-01T01', 'a/model', 4, 0]
    ])
  })

  await t.test('a copy that finds nothing new writes nothing', async () => {
    await serve(midnight, 50, 5)
    const places = () => queryRows(orm, sql`select ctid::text, xmin::text, xmax::text from ${servedHours}`)
    await copy(midnight + hourMs)
    const before = await places()
    await copy(midnight + 2 * hourMs)
    assert.deepEqual(await places(), before)
  })

  await t.test('days are read as they were stored: older ones added up, and recent hours as they are', async () => {
    const now = midnight + 50 * 24 * hourMs
    await serve(midnight, 1)
    await serve(midnight + 23 * hourMs, 2, 1)
    await serve(now - hourMs, 4)
    await serve(now - 100 * 24 * hourMs, 8)
    await copy(now)
    const history = await readServedHistory(orm, now)
    const today = midnight / (24 * hourMs) + 50
    assert.deepEqual([...history.days], [[today - 50, new Map([['a/model', { successes: 3, failures: 1 }]])]])
    assert.deepEqual([...history.hours], [[hourOf(now) - 1, new Map([['a/model', { successes: 4, failures: 0 }]])]])
    const days = foldDays(history, new Map(), today)
    assert.deepEqual(
      days.map((day) => day.get('a/model')?.successes ?? 0).filter((count) => count > 0),
      [3, 4]
    )
  })
})
