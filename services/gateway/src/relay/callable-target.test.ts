import assert from 'node:assert/strict'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import t from 'tap'
import { Breaker } from '../upstreams/breaker.ts'
import { Pauses } from '../upstreams/pauses.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import { callableTarget } from './targets.ts'

const target = (upstream: string): Target => ({ upstream, model: 'm', priority: 0, weight: 1 })

const upstreamsOf = (...names: string[]) =>
  new Map(
    names.map((name) => [name, { name, breaker: new Breaker(), pauses: new Pauses() } as unknown as Upstream])
  ) satisfies Upstreams

function open({ breaker }: Upstream, now: number): void {
  for (let call = 0; call < 5; call++) breaker.failed(breaker.begin(now), now)
}

t.test('an untried target that works is called first, then one without a wait', async () => {
  const upstreams = upstreamsOf('a', 'b', 'c')
  const order = ['a', 'b', 'c'].map((name) => target(name))
  const [a, b, c] = order as [Target, Target, Target]
  const find = (tried: Target[], now = 0) => callableTarget(order, tried, upstreams, now, () => 0.5)
  assert.deepEqual(find([]), { target: a, waitMs: 0 })
  assert.deepEqual(find([a]), { target: b, waitMs: 0 })
  upstreams.get('b')!.pauses.until.set('m', 1500)
  assert.equal(find([a])!.target, c)
  assert.deepEqual(find([a, c]), { target: b, waitMs: 1500 }, 'a short wait is accepted')
  assert.equal(find([a, b, c])!.target, a, 'after all were tried, the first is called again')
  assert.ok(find([a, b, c])!.waitMs > 0, 'a little later')
  open(upstreams.get('c')!, 0)
  assert.equal(find([a])!.target, b)
  upstreams.get('b')!.pauses.until.set('m', 60_000)
  assert.equal(find([a])!.target, a, 'instead of a long wait, the first is called again')
  assert.deepEqual(find([]), { target: a, waitMs: 0 })
})

t.test('without a target that works, the least bad one is called at once', async () => {
  const upstreams = upstreamsOf('a', 'b', 'c')
  const order = ['a', 'b', 'c'].map((name) => target(name))
  const [a, b, c] = order as [Target, Target, Target]
  const find = (tried: Target[]) => callableTarget(order, tried, upstreams, 0, () => 0.5)
  for (const upstream of upstreams.values()) open(upstream, 0)
  assert.deepEqual(find([]), { target: a, waitMs: 0 })
  upstreams.get('b')!.breaker.succeeded(false, 0)
  assert.equal(find([])!.target, b, 'it fails less')
  assert.equal(find([b])!.target, a, 'after it failed, an untried one is called')
  upstreams.get('a')!.pauses.until.set('m', 60_000)
  assert.equal(find([b])!.target, c, 'a long wait is worse than failures')
  assert.equal(find([c, b])!.target, b)
  for (const { pauses } of upstreams.values()) pauses.until.set('m', 60_000)
  assert.deepEqual(find([]), { target: b, waitMs: 0 }, 'a first call does not wait: the upstream may have room again')
  assert.equal(find([b]), null, 'a retry does not wait so long')
})

t.test('without a known upstream there is no target', async () => {
  assert.equal(callableTarget([target('nobody')], [], upstreamsOf(), 0), null)
})

t.test('whatever happened before, somebody is called; while others work, a failing upstream gets probes', async () => {
  const names = ['a', 'b', 'c']
  const call = fc.record({
    afterMs: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 3000 })),
    outcome: fc.constantFrom('succeeds', 'fails', 'fails', 'fails', 'hangs', 'asks for a wait'),
    restMs: fc.nat({ max: 20_000 }),
    tellsOthers: fc.boolean()
  })
  const history = fc.array(call, { minLength: 40, maxLength: 120 })
  let avoided = 0
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), history, (count, calls) => {
      const order = names.slice(0, count).map((name) => target(name))
      const upstreams = upstreamsOf(...names.slice(0, count))
      const probedAt = new Map<string, number>()
      let now = 0
      for (const { afterMs, outcome, restMs, tellsOthers } of calls) {
        now += afterMs
        const next = callableTarget(order, [], upstreams, now)
        assert.ok(next !== null && next.waitMs === 0, 'somebody is called at once')
        const { breaker, pauses, name } = upstreams.get(next.target.upstream)!
        const works = ({ breaker, pauses }: Upstream) =>
          breaker.state === 'closed' && !((pauses.until.get('m') ?? 0) > now)
        const wasClosed = breaker.state === 'closed'
        const isProbe = breaker.begin(now)
        if ([...upstreams.values()].some(works)) {
          if (order.some(({ upstream }) => upstreams.get(upstream)!.breaker.state !== 'closed')) avoided++
          assert.ok(wasClosed || isProbe)
        }
        if (isProbe) {
          assert.ok(now - (probedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= 1000, 'probes are a second apart')
          probedAt.set(name, now)
        }
        const again = callableTarget(order, [next.target], upstreams, now)
        const canWait = order.some(
          ({ upstream }) => (upstreams.get(upstream)!.pauses.until.get('m') ?? 0) - now <= 2000
        )
        assert.equal(again !== null, canWait, 'a retry is made unless all ask for a long wait')
        if (outcome === 'succeeds') breaker.succeeded(isProbe, now)
        else if (outcome === 'fails') breaker.failed(isProbe, now)
        else if (outcome === 'asks for a wait') {
          breaker.succeeded(isProbe, now)
          pauses.until.set('m', now + restMs)
        }
        if (tellsOthers && restMs > 19_000) breaker.follow(restMs % 2 === 0 ? 'open' : 'closed', now)
      }
    }),
    propertyRuns(150)
  )
  assert.ok(avoided > 100, 'failing upstreams were avoided')
})
