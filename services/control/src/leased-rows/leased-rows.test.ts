import assert from 'node:assert/strict'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import { asc, eq, sql } from 'drizzle-orm'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import type { SharedTime } from '../clocks/clock.ts'
import { at } from '../database/schema/columns.ts'
import { onEachDatabase, openTestDatabase } from '../testing/databases.ts'
import { LeasedRows } from './leased-rows.ts'

const leaseMs = 1000
const jobs = pgTable('jobs', {
  id: integer('id').primaryKey(),
  dueAt: at('due_at'),
  leaseEndsAt: at('lease_ends_at'),
  tries: integer('tries').notNull().default(0)
})
type Job = typeof jobs.$inferSelect
/** A lease has a column of its own, or postpones when the row is due. */
const leases = ['leaseEndsAt', 'dueAt'] as const
const withLease = (lease: (typeof leases)[number]) => {
  const [key, due] = ['id', 'dueAt'] as const
  return { table: jobs, key, due, lease, leaseMs }
}

/** What a replica does. A claimed row is a job that it works on until the end of the lease, or until it dies. */
type Act =
  | { do: 'claim'; replica: number; limit: number }
  | { do: 'finish' | 'put back' | 'extend' | 'die'; replica: number }
  | { do: 'pass'; ms: number }
const replica = fc.nat({ max: 1 })
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('claim' as const), replica, limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constantFrom('finish', 'put back', 'extend', 'die'), replica }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, leaseMs / 2, leaseMs) })
)

onEachDatabase('leased rows', async (t, newDatabase) => {
  const database = await openTestDatabase(await newDatabase('empty'))
  t.after(() => database.close())
  const { orm } = database
  await orm.execute(
    sql`create table jobs (id int primary key, due_at timestamptz(3), lease_ends_at timestamptz(3), tries int not null default 0)`
  )
  const begin = Date.parse('2026-11-20T12:00:00Z')
  const fill = async (count: number) => {
    await orm.delete(jobs)
    // The last one is due first.
    const rows = Array.from({ length: count }, (_, id) => ({ id, dueAt: new Date(begin - 10 * id) }))
    await orm.insert(jobs).values(rows)
  }
  const idsOf = (rows: readonly Job[]) => rows.map(({ id }) => id)

  await t.test(
    'whatever replicas do and whenever they die, a row has one of them, and is done in the end',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...leases), fc.array(act, { maxLength: 12 }), async (lease, acts) => {
          await fill(4)
          let now = begin
          const time: SharedTime = () => sql`${new Date(now).toISOString()}::timestamptz`
          const rows = new LeasedRows(orm, withLease(lease), time)
          /** What each replica believes to have. */
          const jobsOf: Job[][] = [[], []]
          /** From when each row may be claimed, by the model. */
          const freeAt = new Map(Array.from({ length: 4 }, (_, id) => [id, begin - 10 * id]))
          /** Which claim a row has: only its last one counts. */
          const owner = new Map<number, Job>()

          const claim = async (by: number, limit: number) => {
            const due = [...freeAt].filter(([, from]) => from <= now).map(([id]) => id)
            const claimed = await rows.claim(limit, { set: { tries: sql`${jobs.tries} + 1` } })
            assert.equal(claimed.length, Math.min(limit, due.length))
            for (const job of claimed) {
              assert.ok(due.includes(job.id), `${job.id} is due, and nobody works on it`)
              freeAt.set(job.id, now + leaseMs)
              owner.set(job.id, job)
            }
            jobsOf[by]!.push(...claimed)
          }

          for (const step of acts) {
            if (step.do === 'pass') now += step.ms
            else if (step.do === 'claim') await claim(step.replica, step.limit)
            else {
              const job = jobsOf[step.replica]!.shift()
              if (job === undefined || step.do === 'die') continue
              const isOurs = owner.get(job.id) === job
              let result: Job | null
              if (step.do === 'extend') {
                result = await rows.extend(job)
                if (result !== null) {
                  freeAt.set(job.id, Math.max(now + leaseMs, freeAt.get(job.id)! + 1))
                  owner.set(job.id, result)
                  jobsOf[step.replica]!.push(result)
                }
              } else if (step.do === 'put back') {
                result = await rows.end(job, { dueAt: rows.after(300) })
                if (result !== null) freeAt.set(job.id, now + 300)
              } else {
                result = await rows.end(job, { dueAt: null })
                if (result !== null) freeAt.delete(job.id)
              }
              assert.equal(result !== null, isOurs, `${step.do}: only the last lease counts`)
              if (isOurs && step.do !== 'extend') owner.delete(job.id)
            }
          }
          for (now += leaseMs * 20; freeAt.size > 0; ) {
            await claim(0, 3)
            for (const job of jobsOf[0]!.splice(0)) {
              if ((await rows.end(job, { dueAt: null })) !== null) freeAt.delete(job.id)
            }
          }
          assert.deepEqual(await rows.claim(9), [])
        }),
        propertyRuns(12, 60)
      )
    }
  )

  await t.test(
    'two replicas claim at once, by PostgreSQL’s clock: each row once, the longest waiting first',
    async () => {
      for (const lease of leases) {
        await fill(30)
        const replicas = [new LeasedRows(orm, withLease(lease)), new LeasedRows(orm, withLease(lease))]
        const claims = await Promise.all(Array.from({ length: 6 }, (_, turn) => replicas[turn % 2]!.claim(5)))
        const ids = claims.flatMap(idsOf)
        assert.deepEqual(
          ids.toSorted((a, b) => a - b),
          Array.from({ length: 30 }, (_, id) => id)
        )
        for (const claimed of claims)
          assert.deepEqual(
            idsOf(claimed),
            idsOf(claimed).toSorted((a, b) => b - a)
          )
        assert.deepEqual(await replicas[0]!.claim(5), [])
        const ends = await orm.select({ at: jobs[lease] }).from(jobs).orderBy(asc(jobs.id))
        assert.ok(ends.every(({ at }) => Math.abs(at!.getTime() - Date.now() - leaseMs) < 5000))
      }
    }
  )

  await t.test(
    'one row is claimed by its condition, also if it is not due; a result that fails does not end its lease',
    async () => {
      await fill(2)
      const rows = new LeasedRows(orm, withLease('leaseEndsAt'))
      await orm.update(jobs).set({ dueAt: null })
      const [first, second] = [await rows.claimOne(eq(jobs.id, 1)), await rows.claimOne(eq(jobs.id, 1))]
      assert.deepEqual([first?.id, second], [1, null])
      await assert.rejects(
        orm.transaction(async (tx) => {
          assert.notEqual(await rows.end(first!, {}, { tx }), null)
          throw new Error('not stored')
        }),
        /not stored/
      )
      assert.equal(await rows.claimOne(eq(jobs.id, 1)), null)
      assert.equal(await rows.end(first!, {}, { where: eq(jobs.tries, 9) }), null)
      assert.equal((await rows.end(first!))?.leaseEndsAt, null)
      assert.notEqual(await rows.claimOne(eq(jobs.id, 1)), null)
    }
  )

  await t.test('the only row of a table is claimed, and made in an empty table', async () => {
    await orm.delete(jobs)
    const rows = new LeasedRows(orm, { table: jobs, key: 'id', lease: 'leaseEndsAt', leaseMs })
    const claims = await Promise.all([1, 2, 3].map(() => rows.claimOnly({ id: 7 }, { set: { tries: 5 } })))
    const [only] = claims.filter((claimed) => claimed !== null)
    assert.deepEqual([claims.filter((claimed) => claimed === null).length, only?.tries], [2, 0])
    await rows.end(only!)
    assert.equal(await rows.claimOnly({ id: 7 }, { where: eq(jobs.tries, 9) }), null)
    assert.equal((await rows.claimOnly({ id: 7 }, { set: { tries: 5 } }))?.tries, 5)
  })
})
