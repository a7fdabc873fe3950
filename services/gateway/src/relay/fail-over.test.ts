import assert from 'node:assert/strict'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import t from 'tap'
import { Breaker } from '../upstreams/breaker.ts'
import type { Upstream } from '../upstreams/upstreams.ts'
import { type FailedCall, failOver } from './fail-over.ts'

const target = (upstream: string): Target => ({ upstream, model: 'm', priority: 0, weight: 1 })
const [a, b] = [target('a'), target('b')]

function upstreamsWith(stopped: readonly Target[]) {
  return new Map(
    [a, b].map(({ upstream: name }) => {
      const breaker = new Breaker()
      if (stopped.some(({ upstream }) => upstream === name)) {
        for (let call = 0; call < 5; call++) breaker.failed(breaker.begin(0), 0)
      }
      return [name, { name, breaker, restingUntil: new Map() } as unknown as Upstream]
    })
  )
}

/** What differs from: the first call of a, for a client that waits, failed in a way that may pass. */
type Case = [
  name: string,
  failed: Partial<FailedCall>,
  next: { target: Target; isRetry: boolean; waits?: true } | null,
  stopped?: Target[]
]

const cases: Case[] = [
  ['the next upstream is called', {}, { target: b, isRetry: true }],
  [
    'the same upstream is called later, if there is no other',
    { order: [a] },
    { target: a, isRetry: true, waits: true }
  ],
  ['after both failed, the first is called again', { tried: [a, b] }, { target: a, isRetry: true, waits: true }],
  ['a stopped upstream is skipped', {}, { target: a, isRetry: true, waits: true }, [b]],
  ['no upstream may be called', {}, null, [a, b]],
  ['no target is left', { order: [] }, null],
  ['the retry budget is empty', { isRetryAllowed: false }, null],
  ['another upstream can help', { scope: 'elsewhere', order: [b] }, { target: b, isRetry: false }],
  [
    'another upstream can help, and the retry budget is empty',
    { scope: 'elsewhere', order: [b], isRetryAllowed: false },
    { target: b, isRetry: false }
  ],
  ['the failed upstream was the last that could help', { scope: 'elsewhere', order: [] }, null],
  ['no other call can help', { scope: 'nowhere' }, null],
  ['the client has left, or has a part of the answer', { isOpen: false }, null],
  ['all calls are made', { tried: [a, b, a] }, null],
  ['a request may make one call', { maxCalls: 1 }, null],
  ['one more call is allowed', { tried: [a, b], maxCalls: 3 }, { target: a, isRetry: true, waits: true }]
]

for (const [name, failed, expected, stopped = []] of cases) {
  t.test(`after a failed call: ${name}`, async () => {
    const call: FailedCall = {
      scope: 'anywhere',
      isOpen: true,
      order: [a, b],
      tried: [a],
      maxCalls: 3,
      isRetryAllowed: true,
      ...failed
    }
    const next = failOver(call, upstreamsWith(stopped), 0, () => 0.5)
    const found = next && { target: next.target, isRetry: next.isRetry, ...(next.waitMs > 0 && { waits: true }) }
    assert.deepEqual(found, expected)
  })
}
