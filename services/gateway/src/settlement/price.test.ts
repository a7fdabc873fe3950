import assert from 'node:assert/strict'
import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { costBound } from '../admission/cost-bound.ts'
import { testCatalog } from '../testing/start-gateway.ts'
import { nothingUsed } from '../usage/usage.ts'
import { costNanos } from './price.ts'

/** Up to the maximum prices and reported tokens for which the catalog promises exact costs. */
const picos = fc.oneof(fc.integer({ min: 0, max: 20_000_000 }), fc.integer({ min: 0, max: 5_600_000_000 }))
const tokens = fc.oneof(fc.nat({ max: 1e6 }), fc.nat({ max: maxReportedTokens }))
const prices = fc.record({
  inputPicos: picos,
  cachedInputPicos: picos,
  outputPicos: picos,
  reasoningPicos: fc.option(picos, { nil: undefined })
})
const usages = fc
  .record({
    prompt: tokens,
    cached: tokens,
    completion: tokens,
    reasoning: tokens
  })
  .map(({ prompt, cached, completion, reasoning }) => ({
    ...nothingUsed,
    promptTokens: prompt,
    cachedTokens: Math.min(prompt, cached),
    completionTokens: completion,
    reasoningTokens: Math.min(completion, reasoning),
    estimated: false
  }))

test('a cost is exact: each kind of token at its price, rounded up once', async () => {
  fc.assert(
    fc.property(usages, prices, ({ promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated }, of) => {
      const { reasoningPicos, ...others } = of
      const price = reasoningPicos === undefined ? others : { ...others, reasoningPicos }
      const exact =
        BigInt(promptTokens - cachedTokens) * BigInt(of.inputPicos) +
        BigInt(cachedTokens) * BigInt(of.cachedInputPicos) +
        BigInt(completionTokens - reasoningTokens) * BigInt(of.outputPicos) +
        BigInt(reasoningTokens) * BigInt(reasoningPicos ?? of.outputPicos)
      const usage = { ...nothingUsed, promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated }
      assert.equal(BigInt(costNanos(usage, price)), (exact + 999n) / 1000n)
    })
  )
})

test('a usage within the token bound costs no more than the cost bound', async () => {
  fc.assert(
    fc.property(usages, prices, (usage, { reasoningPicos, ...others }) => {
      const price = reasoningPicos === undefined ? others : { ...others, reasoningPicos }
      const model = { ...testCatalog.models.small!, prices: price }
      const bound = { promptTokens: usage.promptTokens, answers: 1, wantedTokens: usage.completionTokens }
      const { promptPicos, outputPicos, wantedTokens } = costBound(bound, model)
      // Larger costs exceed the cap of a request: see check-costs.ts.
      const picos = promptPicos + outputPicos * wantedTokens
      if (Number.isSafeInteger(picos)) assert.ok(costNanos(usage, price) <= Math.ceil(picos / 1000))
    })
  )
})
