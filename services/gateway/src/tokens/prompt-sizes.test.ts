import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { PromptSizes } from './prompt-sizes.ts'
import { countText } from './token-bound.ts'

t.test('the measure of a model follows what its provider reports, and no other model’s', async () => {
  const sizes = new PromptSizes()
  const before = sizes.bytesPerToken('a')
  for (let request = 0; request < 50; request++) sizes.reported('a', 38_000, 10_000)
  assert.ok(Math.abs(sizes.bytesPerToken('a') - 3.8) < 0.1)
  for (let request = 0; request < 500; request++) sizes.reported('a', 27_000, 10_000)
  assert.ok(Math.abs(sizes.bytesPerToken('a') - 2.7) < 0.1, 'later reports outweigh earlier ones')
  assert.equal(sizes.bytesPerToken('b'), before)
})

t.test('one account cannot make the prompts of others much longer or shorter', async () => {
  const sizes = new PromptSizes()
  for (let request = 0; request < 100; request++) sizes.reported('a', 60_000, 60_000)
  assert.equal(sizes.bytesPerToken('a'), 2.5)
  for (let request = 0; request < 1000; request++) sizes.reported('a', 1_000_000, 10)
  assert.equal(sizes.bytesPerToken('a'), 4)
})

t.test('whatever is reported, an estimate is at most the bound, and at least a quarter of it', async () => {
  const report = fc.record({ bytes: fc.nat({ max: 3e7 }), tokens: fc.integer({ min: 1, max: 1e8 }) })
  fc.assert(
    fc.property(fc.array(report), fc.nat({ max: 3e7 }), fc.nat({ max: 1e6 }), (reports, textBytes, other) => {
      const sizes = new PromptSizes()
      for (const { bytes, tokens } of reports) sizes.reported('a', bytes, tokens)
      const promptTokens = other + textBytes
      const { ratedTokens } = countText({ promptTokens, textBytes }, {}, sizes.bytesPerToken('a'))
      assert.ok(ratedTokens <= promptTokens && ratedTokens * 4 >= promptTokens)
    })
  )
})
