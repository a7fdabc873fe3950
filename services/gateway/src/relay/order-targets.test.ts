import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import fc from 'fast-check'
import t from 'tap'
import { Breaker } from '../upstreams/breaker.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import { callableTarget } from './callable-target.ts'
import { orderTargets } from './order-targets.ts'

const target = (upstream: string, priority = 0, weight = 1): Target => ({ upstream, model: 'm', priority, weight })

t.test('an order has every target once, lower priorities first', (t) => {
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
        t.same(new Set(order), new Set(route))
        t.equal(order.length, route.length)
        const priorities = order.map(({ priority }) => priority)
        t.same(priorities, priorities.toSorted())
      }
    )
  )
  t.end()
})

t.test('targets of one priority are first in proportion to their weights', async (t) => {
  const route = [target('a', 0, 3), target('b', 0, 1), target('c', 1, 100)]
  const first = Array.from({ length: 400 }, (_, at) => orderTargets(route, () => (at + 0.5) / 400)[0]!.upstream)
  t.equal(first.filter((name) => name === 'a').length, 300)
  t.equal(first.filter((name) => name === 'b').length, 100)
})

const upstreamsOf = (...names: string[]) =>
  new Map(
    names.map((name) => [name, { name, breaker: new Breaker(), restingUntil: new Map() } as unknown as Upstream])
  ) satisfies Upstreams

t.test(
  'the next call goes to who has not been tried, then to who does not rest, and never past a breaker',
  async (t) => {
    const upstreams = upstreamsOf('a', 'b', 'c')
    const order = ['a', 'b', 'c'].map((name) => target(name))
    const [a, b, c] = order as [Target, Target, Target]
    const choose = (tried: Target[], now = 0) => callableTarget(order, tried, upstreams, now, () => 0.5)
    t.same(choose([]), { target: a, waitMs: 0 })
    t.same(choose([a]), { target: b, waitMs: 0 })
    upstreams.get('b')!.restingUntil.set('m', 1500)
    t.equal(choose([a])!.target, c)
    t.same(choose([a, c]), { target: b, waitMs: 1500 }, 'a rest is waited for')
    t.equal(choose([a, b, c])!.target, a, 'all tried: the first again')
    t.ok(choose([a, b, c])!.waitMs > 0, 'a little later')
    const { breaker } = upstreams.get('c')!
    for (let call = 0; call < 5; call++) breaker.failed(breaker.begin(0), 0)
    t.equal(choose([a])!.target, b)
    upstreams.get('b')!.restingUntil.set('m', 60_000)
    t.equal(choose([a])!.target, a, 'a long rest is not waited for: the first is asked again')
    t.same(choose([]), { target: a, waitMs: 0 })
    upstreams.get('a')!.restingUntil.set('m', 60_000)
    t.same(
      choose([]),
      { target: a, waitMs: 0 },
      'but a first call is made: only the upstream knows whether there is room'
    )
  }
)

t.test('without an upstream that may be called there is no choice', async (t) => {
  t.equal(callableTarget([target('nobody')], [], upstreamsOf(), 0), null)
})
