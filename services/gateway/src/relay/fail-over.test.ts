import assert from 'node:assert/strict'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import t from 'tap'
import { Breaker } from '../upstreams/breaker.ts'
import { Pauses } from '../upstreams/pauses.ts'
import type { Upstream } from '../upstreams/upstreams.ts'
import { type FailedCall, failOver } from './targets.ts'

const target = (upstream: string): Target => ({ upstream, model: 'm', priority: 0, weight: 1 })
const [a, b] = [target('a'), target('b')]

function upstreamsWith(open: readonly Target[]) {
  return new Map(
    [a, b].map(({ upstream: name }) => {
      const breaker = new Breaker()
      if (open.some(({ upstream }) => upstream === name)) {
        for (let call = 0; call < 5; call++) breaker.failed(breaker.begin(0), 0)
      }
      return [name, { name, breaker, pauses: new Pauses() } as unknown as Upstream]
    })
  )
}

/** Differences from this case: the first call failed at a, the failure may pass, and the client waits. */
type Case = [
  name: string,
  failed: Partial<FailedCall>,
  next: { target: Target; isRetry: boolean; waits?: true } | null,
  open?: Target[]
]

const cases: Case[] = [
  ['the other upstream is called', {}, { target: b, isRetry: true }],
  ['the same upstream is called later if there is no other', { order: [a] }, { target: a, isRetry: true, waits: true }],
  ['if both failed, the first is called again', { tried: [a, b] }, { target: a, isRetry: true, waits: true }],
  ['an upstream with an open breaker is skipped', {}, { target: a, isRetry: true, waits: true }, [b]],
  ['if all breakers are open, the other upstream is called', {}, { target: b, isRetry: true }, [a, b]],
  [
    'a single upstream is called again, although its breaker is open',
    { order: [a] },
    { target: a, isRetry: true, waits: true },
    [a]
  ],
  ['no call follows without targets', { order: [] }, null],
  ['no call follows if the retry budget is empty', { isRetryAllowed: false }, null],
  [
    'another upstream is called if only another can help',
    { scope: 'elsewhere', order: [b] },
    { target: b, isRetry: false }
  ],
  [
    'another upstream is called without a retry budget if only another can help',
    { scope: 'elsewhere', order: [b], isRetryAllowed: false },
    { target: b, isRetry: false }
  ],
  ['no call follows if only another upstream could help, and there is none', { scope: 'elsewhere', order: [] }, null],
  ['no call follows if no other call can help', { scope: 'nowhere' }, null],
  ['no call follows if the client left or has a part of the answer', { isOpen: false }, null],
  ['no call follows after the maximum number of calls', { tried: [a, b, a] }, null],
  ['no call follows if the request may make one call', { maxCalls: 1 }, null],
  ['the last allowed call is made', { tried: [a, b], maxCalls: 3 }, { target: a, isRetry: true, waits: true }]
]

for (const [name, failed, expected, open = []] of cases) {
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
    const next = failOver(call, upstreamsWith(open), 0, () => 0.5)
    const retry = next && { target: next.target, isRetry: next.isRetry, ...(next.waitMs > 0 && { waits: true }) }
    assert.deepEqual(retry, expected)
  })
}
