import assert from 'node:assert/strict'
import t from 'tap'
import { mergeMessagesUsage, readMessagesUsage } from './messages-usage.ts'

t.test('the input is the sum of its three parts', async () => {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1000,
    output_tokens: 7,
    output_tokens_details: { thinking_tokens: 4 }
  }
  assert.partialDeepStrictEqual(readMessagesUsage(usage), {
    promptTokens: 1110,
    cachedTokens: 1000,
    completionTokens: 7,
    reasoningTokens: 4
  })
})

t.test('iterations that are missing in the outer numbers count', async () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    iterations: [
      { type: 'compaction', input_tokens: 90, output_tokens: 30 },
      { type: 'message', input_tokens: 10, output_tokens: 5 }
    ]
  }
  assert.partialDeepStrictEqual(readMessagesUsage(usage), { promptTokens: 100, completionTokens: 35 })
})

t.test('numbers that cannot be token counts are missing', async () => {
  for (const odd of [null, -1, 1.5, '3', 1e300, {}, []]) {
    assert.equal(readMessagesUsage({ input_tokens: odd, output_tokens: odd }), null)
    assert.partialDeepStrictEqual(readMessagesUsage({ input_tokens: 4, output_tokens: odd }), {
      completionTokens: null
    })
  }
  for (const none of [undefined, null, 5, 'x', [], {}]) assert.equal(readMessagesUsage(none), null)
})

t.test('a later report replaces the numbers that it has', async () => {
  const earlier = { input_tokens: 25, cache_creation: { ephemeral_1h_input_tokens: 3 }, output_tokens: 1 }
  const later = { input_tokens: null, cache_creation: null, output_tokens: 15 }
  const merged = mergeMessagesUsage(earlier, later)
  assert.deepEqual({ ...(merged as object) }, { ...earlier, output_tokens: 15 })
  assert.deepEqual(mergeMessagesUsage(null, later), later)
  assert.deepEqual(mergeMessagesUsage(earlier, undefined), earlier)
})
