import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { onDatabase, openTestDatabase } from '../testing/databases.ts'
import { createDueWatch } from './due-watch.ts'

onDatabase('the watch', async (t, newDatabase) => {
  const { orm, close } = await openTestDatabase(await newDatabase())
  t.after(close)
  const log = { info: () => {}, warn: () => {} }

  await t.test('one statement finds which loops have work, and wakes only those', async () => {
    const woken: number[] = []
    const loops = [true, false, true].map((isDue, number) => ({
      isDue: () => sql`${isDue}::boolean`,
      wake: () => woken.push(number)
    }))
    const statements: unknown[] = []
    const counting = Object.assign(Object.create(orm) as typeof orm, {
      execute: (statement: never) => {
        statements.push(statement)
        return orm.execute(statement)
      }
    })
    await createDueWatch(counting, loops, log).runOnce()
    assert.deepEqual([woken, statements.length], [[0, 2], 1])
  })
})
