import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { Deadlines, type OpenRequest } from './deadlines.ts'

const maxMs = 5

class Lasting implements OpenRequest {
  readonly beganAt = performance.now()
  readonly key = null
  earlier: OpenRequest | null = null
  later: OpenRequest | null = null
  readonly expire: () => void

  constructor(expire: () => void) {
    this.expire = expire
  }

  cut(): void {}
}

test('requests expire once, in order; ended requests do not expire', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ endsAtOnce: fc.boolean(), endsLater: fc.boolean(), rank: fc.nat() }), { maxLength: 12 }),
      async (plans) => {
        const deadlines = new Deadlines(maxMs)
        const expired: number[] = []
        const all = plans.map((plan, index) => {
          const one = new Lasting(() => {
            expired.push(index)
            // An expired request removes itself, too.
            deadlines.remove(one)
          })
          deadlines.add(one)
          if (plan.endsAtOnce) deadlines.remove(one)
          return { ...plan, index, one }
        })
        const early = all.filter(({ endsLater }) => endsLater).sort((a, b) => a.rank - b.rank)
        for (const { one } of early) deadlines.remove(one)
        const isOver = new Promise<void>((resolve) => deadlines.add(new Lasting(resolve)))
        // The interval alone does not keep the process alive.
        const awake = setTimeout(() => {}, 10_000)
        await isOver
        clearTimeout(awake)
        assert.deepEqual(
          expired,
          all.filter(({ endsAtOnce, endsLater }) => !endsAtOnce && !endsLater).map(({ index }) => index)
        )
        // An ended request with a pointer would keep all later requests in memory.
        for (const { one } of all) assert.deepEqual([one.earlier, one.later], [null, null])
      }
    ),
    { numRuns: 60 }
  )
})
