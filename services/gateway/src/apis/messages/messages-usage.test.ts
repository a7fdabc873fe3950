import assert from 'node:assert/strict'
import { test } from 'tap'
import { isComplete, noUsage } from '../../usage/usage.ts'
import { mergeMessagesUsage, readMessagesUsage } from './messages-usage.ts'

const start = {
  input_tokens: 25,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 4000,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  output_tokens: 1,
  service_tier: 'standard'
}

test('the prompt is the sum of the disjoint input counts', async () => {
  assert.deepEqual(readMessagesUsage({ ...start, output_tokens: 50, output_tokens_details: { thinking_tokens: 30 } }), {
    ...noUsage,
    promptTokens: 4325,
    cachedTokens: 4000,
    rare: { cacheWriteTokens: 100, longCacheWriteTokens: 200 },
    completionTokens: 50,
    reasoningTokens: 30,
    tier: 'standard'
  })
})

test('of several reports in a stream, the largest number counts, and nothing is added', async () => {
  const delta = {
    input_tokens: 10_682,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: null,
    output_tokens: 510,
    server_tool_use: { web_search_requests: 1 }
  }
  const last = { output_tokens: 520, server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 } }
  const read = readMessagesUsage([start, delta, last].reduce<unknown>(mergeMessagesUsage, null))!
  assert.equal(read.promptTokens, 10_682 + 300 + 4000)
  assert.deepEqual(read.rare, { cacheWriteTokens: 100, longCacheWriteTokens: 200, toolCalls: 3 })
  assert.equal(read.completionTokens, 520)
  assert.deepEqual({ ...read.calls }, { web_search: 2, web_fetch: 1 })
  assert.equal(read.tier, 'standard')
})

test('a later report with less takes back nothing', async () => {
  const less = { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: 1 } }
  const more = { output_tokens: 90, server_tool_use: { web_search_requests: 3 } }
  const read = readMessagesUsage([start, more, less].reduce<unknown>(mergeMessagesUsage, null))!
  assert.deepEqual([read.promptTokens, read.completionTokens, read.rare?.toolCalls], [4325, 90, 3])
})

test('a report without output leaves it missing, although an earlier one had a number', async () => {
  for (const output of [0, -5]) {
    const read = readMessagesUsage([start, { output_tokens: output }].reduce<unknown>(mergeMessagesUsage, null))!
    assert.equal(isComplete(read), false)
  }
})

test('further calls within a request count if the outer numbers leave them out', async () => {
  const iterations = [
    { type: 'message', input_tokens: 25, output_tokens: 50 },
    { type: 'compaction', input_tokens: 1000, output_tokens: 70 }
  ]
  const read = readMessagesUsage({ input_tokens: 25, output_tokens: 50, iterations })!
  assert.deepEqual([read.promptTokens, read.completionTokens, read.hasOtherModels], [1025, 120, false])
  const advised = [...iterations, { type: 'advisor_message', model: 'another', input_tokens: 1, output_tokens: 1 }]
  assert.equal(readMessagesUsage({ input_tokens: 25, output_tokens: 50, iterations: advised })!.hasOtherModels, true)
})

test('a fast answer is of the tier fast, and a message without numbers has no usage', async () => {
  assert.equal(readMessagesUsage({ ...start, speed: 'fast' })!.tier, 'fast')
  assert.equal(readMessagesUsage({}), null)
  assert.equal(readMessagesUsage(null), null)
  const partial = readMessagesUsage({ input_tokens: 5 })!
  assert.deepEqual([partial.promptTokens, partial.completionTokens], [5, null])
})
