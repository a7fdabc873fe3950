import assert from 'node:assert/strict'
import { test } from 'tap'
import { noUsage } from '../../usage/usage.ts'
import { readResponsesUsage } from './responses-usage.ts'

const usage = {
  input_tokens: 100,
  input_tokens_details: {
    cached_tokens: 20,
    cache_write_tokens: 40,
    cache_write_tokens_details: { ttl_30m_tokens: 30, ttl_12h_tokens: 10 }
  },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 150
}

test('the parts of a response are inside its input and output', async () => {
  assert.deepEqual(readResponsesUsage({ usage, service_tier: 'priority' }), {
    ...noUsage,
    promptTokens: 100,
    cachedTokens: 20,
    rare: { cacheWriteTokens: 30, longCacheWriteTokens: 10 },
    completionTokens: 50,
    reasoningTokens: 30,
    tier: 'priority'
  })
})

test('a response without usage has none, and output beyond the reported number counts', async () => {
  assert.equal(readResponsesUsage({ usage: null }), null)
  assert.equal(readResponsesUsage({}), null)
  assert.equal(readResponsesUsage(null), null)
  assert.equal(
    readResponsesUsage({ usage: { input_tokens: 10, output_tokens: 1, total_tokens: 30 } })!.completionTokens,
    20
  )
})
