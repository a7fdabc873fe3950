import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Shard } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { recordChange } from './record-change.ts'

onEachDatabase('changes', async (t, newDatabase) => {
  const databaseUrl = await newDatabase()
  const database = await openMigratedDatabase(databaseUrl)
  t.after(() => database.close())
  const { orm } = database
  await orm.execute(sql`create table made (change bigint primary key)`)
  const made = async () => {
    const rows = await queryRows<{ change: string }>(orm, sql`select change::text from made order by made.change`)
    return rows.map(({ change }) => Number(change))
  }
  const marks = async () => {
    const rows = await queryRows<{ name: string; version: string }>(orm, sql`select name, version::text from shards`)
    return new Map(rows.map(({ name, version }) => [name, Number(version)]))
  }

  await t.test('the first change gets a number, and marks each of its shards once', async () => {
    const change = await orm.transaction((tx) => recordChange(tx, ['a01', 'k02', 'a01']))
    assert.ok(change >= 1)
    assert.deepEqual(
      await marks(),
      new Map([
        ['a01', change],
        ['k02', change]
      ])
    )
  })

  await t.test('the next change gets a larger number, and other shards keep theirs', async () => {
    const before = await marks()
    const change = await orm.transaction((tx) => recordChange(tx, ['a01']))
    assert.ok(change > before.get('a01')!)
    assert.deepEqual(await marks(), new Map([...before, ['a01', change]]))
  })

  await t.test('a transaction that rolls back leaves no mark and does not block the next', async () => {
    const before = await marks()
    let lost = 0
    const failing = orm.transaction(async (tx) => {
      lost = await recordChange(tx, ['a01', 'a99'])
      throw new Error('on purpose')
    })
    await assert.rejects(failing, /on purpose/)
    assert.deepEqual(await marks(), before)
    const change = await orm.transaction((tx) => recordChange(tx, ['a01']))
    assert.ok(change > lost)
  })

  await t.test('a row cannot be committed with a change that its shards lack', async () => {
    const insert = (shard: string, recorded: readonly Shard[]) =>
      orm.transaction(async (tx) => {
        const version = await recordChange(tx, recorded)
        const id = randomUUID()
        await tx.insert(accounts).values({
          id,
          ownerId: id,
          plan: 'free',
          shard,
          version,
          createdAt: new Date()
        })
      })
    await assert.rejects(insert('a77', ['a78']), (error: Error) =>
      /not recorded for its shard a77/.test(String(error.cause ?? error))
    )
    await insert('a77', ['a77'])
    assert.equal(await orm.$count(accounts), 1)
  })

  await t.test('a reader that sees a change sees all changes with smaller numbers', async () => {
    let isOver = false
    const seen: number[][] = []
    const watching = (async () => {
      while (!isOver) seen.push(await made())
    })()
    await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const making = orm.transaction(async (tx) => {
          const change = await recordChange(tx, ['a01', `k${number % 10}0`])
          await tx.execute(sql`insert into made values (${change})`)
          // Some commit late, some not at all.
          if (number % 3 === 0) await tx.execute(sql`select pg_sleep(0.005)`)
          if (number % 7 === 0) throw new Error('on purpose')
        })
        await making.catch((error: Error) => assert.match(String(error.cause ?? error), /on purpose/))
      })
    )
    isOver = true
    await watching
    const all = await made()
    assert.equal(all.length, 60 - 9)
    for (const snapshot of seen) {
      assert.deepEqual(
        snapshot,
        all.filter((change) => change <= (snapshot.at(-1) ?? 0))
      )
    }
    assert.equal((await marks()).get('a01'), all.at(-1))
  })

  if (databaseUrl === 'pglite:memory') return
  await t.test('a replica that hangs during a change does not block others', async () => {
    const stalled = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const standing = orm.transaction(async (tx) => {
      await recordChange(tx, ['a01'])
      began.resolve()
      await stalled.promise
    })
    const ended = assert.rejects(standing)
    await began.promise
    await orm.transaction((tx) => recordChange(tx, ['a01']))
    stalled.resolve()
    await ended
  })
})
