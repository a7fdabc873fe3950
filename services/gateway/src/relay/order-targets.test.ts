import assert from 'node:assert/strict'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import fc from 'fast-check'
import t from 'tap'
import { orderTargets } from './targets.ts'

const target = (upstream: string, priority = 0, weight = 1): Target => ({ upstream, model: 'm', priority, weight })

t.test('an order has every target once, lower priority numbers first', async () => {
  const route = fc.array(
    fc
      .tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 9 }))
      .map(([priority, weight]) => target('u', priority, weight)),
    { minLength: 1, maxLength: 8 }
  )
  fc.assert(
    fc.property(
      route,
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      (route, draws) => {
        const order = orderTargets(route, () => draws.next().value as number)
        assert.deepEqual(new Set(order), new Set(route))
        assert.equal(order.length, route.length)
        const priorities = order.map(({ priority }) => priority)
        assert.deepEqual(priorities, priorities.toSorted())
      }
    )
  )
})

t.test('a target is first among its priority in proportion to its weight', async () => {
  const route = [target('a', 0, 3), target('b', 0, 1), target('c', 1, 100)]
  const first = Array.from({ length: 400 }, (_, at) => orderTargets(route, () => (at + 0.5) / 400)[0]!.upstream)
  assert.equal(first.filter((name) => name === 'a').length, 300)
  assert.equal(first.filter((name) => name === 'b').length, 100)
})
