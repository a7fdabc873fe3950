import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { Deadlines, type Expiring } from './deadlines.ts'

const limitMs = 5

class Lasting implements Expiring {
  readonly beganAt = performance.now()
  earlier: Expiring | null = null
  later: Expiring | null = null
  readonly expire: () => void

  constructor(expire: () => void) {
    this.expire = expire
  }
}

test('what has not ended in time expires, once and in the order in which it began; what has ended never does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ endsAtOnce: fc.boolean(), endsLater: fc.boolean(), rank: fc.nat() }), { maxLength: 12 }),
      async (plans) => {
        const deadlines = new Deadlines(limitMs)
        const expired: number[] = []
        const all = plans.map((plan, index) => {
          const one = new Lasting(() => {
            expired.push(index)
            // As a request does that is ended by this.
            deadlines.remove(one)
          })
          deadlines.add(one)
          if (plan.endsAtOnce) deadlines.remove(one)
          return { ...plan, index, one }
        })
        const early = all.filter(({ endsLater }) => endsLater).sort((a, b) => a.rank - b.rank)
        for (const { one } of early) deadlines.remove(one)
        const isOver = new Promise<void>((resolve) => deadlines.add(new Lasting(resolve)))
        // The interval alone does not keep the process.
        const awake = setTimeout(() => {}, 10_000)
        await isOver
        clearTimeout(awake)
        assert.deepEqual(
          expired,
          all.filter(({ endsAtOnce, endsLater }) => !endsAtOnce && !endsLater).map(({ index }) => index)
        )
        // A list in which something that is over pointed on would keep alive all that came after it.
        for (const { one } of all) assert.deepEqual([one.earlier, one.later], [null, null])
      }
    ),
    { numRuns: 60 }
  )
})
