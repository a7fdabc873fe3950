import assert from 'node:assert/strict'
import { cost } from '@tollgate/contracts/prices/cost.ts'
import { ratesFor } from '@tollgate/contracts/prices/rates-for.ts'
import fc from 'fast-check'
import t from 'tap'
import { noUsage } from '../usage/usage.ts'
import { estimatedPromptKinds, withWriteTimes } from './price.ts'

const none = { others: {}, mayWriteToCache: true, asksForLongWrites: false }
const flat = { inputPicos: 1000, cachedInputPicos: 100, outputPicos: 10_000 }
const prices = { ...flat, cacheWritePicos: 1250, longCacheWritePicos: 2000, audioInputPicos: 32_000 }

t.test('an estimated prompt counts as the dearest kinds that it may have', async () => {
  const kinds = (promptTokens: number, changes: object, of = prices) => {
    const rare = estimatedPromptKinds(promptTokens, { ...none, ...changes }, of)
    const { audioInputTokens = 0, imageInputTokens = 0, cacheWriteTokens, longCacheWriteTokens } = rare
    return [audioInputTokens, imageInputTokens, cacheWriteTokens, longCacheWriteTokens]
  }
  // Audio, images, writes for the short time, and for the long time.
  assert.deepEqual(kinds(100, { others: { audioInputTokens: 30 } }), [30, 0, 70, 0])
  assert.deepEqual(kinds(100, { others: { audioInputTokens: 300 } }), [100, 0, 0, 0])
  assert.deepEqual(
    kinds(100, { others: { imageInputTokens: 30 } }),
    [0, 0, 100, 0],
    'images have no price of their own'
  )
  assert.deepEqual(kinds(100, { asksForLongWrites: true }), [0, 0, 0, 100])
  assert.deepEqual(kinds(100, { mayWriteToCache: false }), [0, 0, 0, 0])
  assert.deepEqual(
    kinds(100, { others: { audioInputTokens: 30 }, asksForLongWrites: true }, flat as typeof prices),
    [0, 0, 0, 0]
  )
})

t.test('whatever the provider read and wrote, an estimate of its prompt costs as much', async () => {
  const share = fc.nat({ max: 1000 })
  fc.assert(
    fc.property(share, share, share, fc.boolean(), (text, audio, cached, isWritten) => {
      const promptTokens = text + audio
      const rates = ratesFor(prices, { tier: 'default', promptTokens, at: 0 })
      const cachedTokens = Math.min(cached, text)
      const cacheWriteTokens = isWritten ? text - cachedTokens : 0
      const billed = { ...noUsage, promptTokens, cachedTokens, rare: { cacheWriteTokens, audioInputTokens: audio } }
      const rare = estimatedPromptKinds(promptTokens, { ...none, others: { audioInputTokens: audio } }, prices)
      assert.ok(cost({ ...noUsage, promptTokens, rare }, rates) >= cost(billed, rates))
    })
  )
})

t.test('writes of an unknown time count as those that the request asked for', async () => {
  const usage = { ...noUsage, promptTokens: 9, rare: { cacheWriteTokens: 5 }, writesForUnknownTime: true }
  const times = (asksForLongWrites: boolean, writesForUnknownTime: boolean) => {
    const read = withWriteTimes({ ...usage, writesForUnknownTime }, { ...none, asksForLongWrites })
    return [read.rare?.cacheWriteTokens ?? 0, read.rare?.longCacheWriteTokens ?? 0]
  }
  assert.deepEqual(
    [times(true, true), times(false, true), times(true, false)],
    [
      [0, 5],
      [5, 0],
      [5, 0]
    ]
  )
})
