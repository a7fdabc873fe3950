import assert from 'node:assert/strict'
import { rareCounters, rareCounts } from '@tollgate/contracts/meters/meters.ts'
import fc from 'fast-check'
import t from 'tap'
import { unserved } from '../usage/usage.ts'
import { CallLines } from './call-lines.ts'
import type { Call, Outcome } from './outcome.ts'

const count = fc.nat()
const rare = fc.array(fc.tuple(fc.constantFrom(...rareCounters), fc.nat()), { maxLength: 3 })
const usages = fc.record({
  promptTokens: count,
  cachedTokens: count,
  completionTokens: count,
  reasoningTokens: count,
  rare: rare.map((counts) => rareCounts(Object.fromEntries(counts))),
  isServed: fc.constant(true),
  estimated: fc.boolean(),
  calls: fc.constant(null),
  tier: fc.constant(null),
  hasOtherModels: fc.constant(false),
  writesForUnknownTime: fc.constant(false)
})
const calls = fc.record({
  // A catalog may have any names.
  model: fc.constantFrom('small', 'large', 'a "quoted" one', 'ligne\n', '模型'),
  isStream: fc.boolean(),
  upstream: fc.constantFrom('first', 'second', null),
  upstreamStatus: fc.constantFrom(200, 503, null),
  attempts: fc.constantFrom(0, 1, 2),
  firstByteMs: fc.constantFrom(null, 0, 12, 12.3, 60_000.1),
  clientGone: fc.boolean(),
  usage: fc.option(usages),
  costNanos: count
})

t.test('a line has the values of its own call, whatever calls came before', (t) => {
  fc.assert(
    fc.property(fc.array(calls, { minLength: 1, maxLength: 30 }), (all) => {
      const lines = new CallLines()
      for (const { model, isStream, firstByteMs, usage, costNanos, ...outcome } of all) {
        const call = { model, isStream, startedAt: 1000 } as Call
        const firstByteAt = firstByteMs === null ? null : 1000 + firstByteMs
        const text = lines.membersOf(call, { ...outcome, firstByteAt } as Outcome, usage, costNanos)
        const { promptTokens, cachedTokens, completionTokens, reasoningTokens, rare, estimated } = usage ?? unserved
        const { upstream, upstreamStatus, attempts, clientGone } = outcome
        const expected = {
          model,
          stream: isStream,
          upstream,
          upstreamStatus,
          attempts,
          promptTokens,
          cachedTokens,
          completionTokens,
          reasoningTokens,
          ...rare,
          estimated,
          costNanos,
          firstByteMs,
          clientGone
        }
        const members = JSON.parse(`{${text.replace(/,$/, '')}}`)
        assert.deepEqual(members, expected)
        assert.deepEqual(Object.keys(members).slice(0, 5), Object.keys(expected).slice(0, 5))
      }
    })
  )
  t.end()
})
