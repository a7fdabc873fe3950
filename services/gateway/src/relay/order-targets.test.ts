import assert from 'node:assert/strict'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import fc from 'fast-check'
import t from 'tap'
import { Breaker } from '../upstreams/breaker.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import { callableTarget } from './callable-target.ts'
import { orderTargets } from './order-targets.ts'

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

const upstreamsOf = (...names: string[]) =>
  new Map(
    names.map((name) => [name, { name, breaker: new Breaker(), restingUntil: new Map() } as unknown as Upstream])
  ) satisfies Upstreams

t.test('an untried target is called first, then one without a wait, and never one with an open breaker', async () => {
  const upstreams = upstreamsOf('a', 'b', 'c')
  const order = ['a', 'b', 'c'].map((name) => target(name))
  const [a, b, c] = order as [Target, Target, Target]
  const find = (tried: Target[], now = 0) => callableTarget(order, tried, upstreams, now, () => 0.5)
  assert.deepEqual(find([]), { target: a, waitMs: 0 })
  assert.deepEqual(find([a]), { target: b, waitMs: 0 })
  upstreams.get('b')!.restingUntil.set('m', 1500)
  assert.equal(find([a])!.target, c)
  assert.deepEqual(find([a, c]), { target: b, waitMs: 1500 }, 'a short wait is accepted')
  assert.equal(find([a, b, c])!.target, a, 'after all were tried, the first is called again')
  assert.ok(find([a, b, c])!.waitMs > 0, 'a little later')
  const { breaker } = upstreams.get('c')!
  for (let call = 0; call < 5; call++) breaker.failed(breaker.begin(0), 0)
  assert.equal(find([a])!.target, b)
  upstreams.get('b')!.restingUntil.set('m', 60_000)
  assert.equal(find([a])!.target, a, 'instead of a long wait, the first is called again')
  assert.deepEqual(find([]), { target: a, waitMs: 0 })
  upstreams.get('a')!.restingUntil.set('m', 60_000)
  assert.deepEqual(find([]), { target: a, waitMs: 0 }, 'a first call does not wait: the upstream may have room again')
})

t.test('without a known upstream there is no target', async () => {
  assert.equal(callableTarget([target('nobody')], [], upstreamsOf(), 0), null)
})
