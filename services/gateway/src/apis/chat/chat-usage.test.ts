import assert from 'node:assert/strict'
import { test } from 'tap'
import { noUsage } from '../../usage/usage.ts'
import { readUsage } from './chat-usage.ts'

/** The members of a usage that are not as in {@link noUsage}. */
const read = (usage: object) =>
  Object.fromEntries(
    Object.entries(readUsage(usage)!).filter(([name, value]) => value !== noUsage[name as keyof typeof noUsage])
  )

for (const [provider, usage, expected] of [
  [
    'OpenAI: every part is inside its whole',
    {
      prompt_tokens: 100,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30, audio_tokens: 5, image_tokens: 6 },
      completion_tokens: 50,
      completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 7, rejected_prediction_tokens: 3 },
      total_tokens: 150
    },
    {
      promptTokens: 100,
      cachedTokens: 20,
      writesForUnknownTime: true,
      completionTokens: 50,
      reasoningTokens: 10,
      rare: { cacheWriteTokens: 30, audioInputTokens: 5, imageInputTokens: 6, audioOutputTokens: 7 }
    }
  ],
  [
    'OpenAI: cache writes by their life',
    {
      prompt_tokens: 100,
      prompt_tokens_details: {
        cache_write_tokens: 70,
        cache_write_tokens_details: { ttl_30m_tokens: 20, ttl_12h_tokens: 50 }
      },
      completion_tokens: 1
    },
    { promptTokens: 100, completionTokens: 1, rare: { cacheWriteTokens: 20, longCacheWriteTokens: 50 } }
  ],
  [
    'Mistral: the other spelling, and seconds of audio outside the tokens',
    { prompt_tokens: 100, prompt_token_details: { cached_tokens: 9 }, prompt_audio_seconds: 3, completion_tokens: 5 },
    { promptTokens: 138, cachedTokens: 9, rare: { audioInputTokens: 38 }, completionTokens: 5 }
  ],
  [
    // Recorded: voxtral-mini-latest, 12 s.
    'Mistral: audio by seconds; its tokens are in the total, and are no output',
    {
      prompt_audio_seconds: 12,
      prompt_tokens: 3,
      total_tokens: 419,
      completion_tokens: 41,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 375 },
      service_tier: 'standard'
    },
    { promptTokens: 153, rare: { audioInputTokens: 150 }, completionTokens: 41, tier: 'standard' }
  ],
  [
    // Recorded: 5 s.
    'Mistral: cached audio is no part of the prompt’s text',
    {
      prompt_audio_seconds: 5,
      prompt_tokens: 5,
      total_tokens: 404,
      completion_tokens: 24,
      prompt_tokens_details: { cached_tokens: 368 }
    },
    { promptTokens: 68, rare: { audioInputTokens: 63 }, completionTokens: 24 }
  ],
  [
    'Mistral: cached tokens beside the details',
    { prompt_tokens: 100, num_cached_tokens: 64, completion_tokens: 5, total_tokens: 105 },
    { promptTokens: 100, cachedTokens: 64, completionTokens: 5 }
  ],
  [
    'DeepSeek: hits and misses',
    { prompt_tokens: 100, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36, completion_tokens: 5 },
    { promptTokens: 100, cachedTokens: 64, completionTokens: 5 }
  ],
  [
    'Gemini: reasoning outside the completion, in the total',
    {
      prompt_tokens: 19_693,
      completion_tokens: 7,
      completion_tokens_details: { reasoning_tokens: 609 },
      total_tokens: 20_309
    },
    { promptTokens: 19_693, completionTokens: 616, reasoningTokens: 609 }
  ],
  [
    // All of the output was thinking: the limit was reached before the first word.
    'Gemini: no completion at all, but a total',
    { prompt_tokens: 8, total_tokens: 120 },
    { promptTokens: 8, completionTokens: 112 }
  ],
  [
    'Gemini: cached tokens inside the prompt',
    {
      prompt_tokens: 5000,
      prompt_tokens_details: { cached_tokens: 4096 },
      completion_tokens: 30,
      total_tokens: 5030
    },
    { promptTokens: 5000, cachedTokens: 4096, completionTokens: 30 }
  ],
  [
    'DeepSeek: reasoning inside the completion, and both spellings of cached tokens',
    {
      prompt_tokens: 1024,
      completion_tokens: 300,
      total_tokens: 1324,
      prompt_tokens_details: { cached_tokens: 960 },
      completion_tokens_details: { reasoning_tokens: 250 },
      prompt_cache_hit_tokens: 960,
      prompt_cache_miss_tokens: 64
    },
    { promptTokens: 1024, cachedTokens: 960, completionTokens: 300, reasoningTokens: 250 }
  ],
  [
    'Groq: times beside the tokens, and reasoning inside the completion',
    {
      queue_time: 0.02,
      prompt_tokens: 80,
      prompt_time: 0.003,
      completion_tokens: 60,
      completion_time: 0.12,
      total_tokens: 140,
      total_time: 0.123,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 41 }
    },
    { promptTokens: 80, cachedTokens: 64, completionTokens: 60, reasoningTokens: 41 }
  ],
  [
    'xAI: reasoning outside the completion, without a total',
    { prompt_tokens: 10, completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 609 } },
    { promptTokens: 10, completionTokens: 616, reasoningTokens: 609 }
  ],
  [
    'gateways that leave cached tokens out of the prompt',
    { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 1000 }, completion_tokens: 7, total_tokens: 1017 },
    { promptTokens: 1010, cachedTokens: 1000, completionTokens: 7 }
  ],
  [
    'a tier inside the usage',
    { prompt_tokens: 10, completion_tokens: 7, service_tier: 'flex' },
    { promptTokens: 10, completionTokens: 7, tier: 'flex' }
  ]
] as const) {
  test(provider, async () => {
    assert.deepEqual(read(usage), expected)
  })
}
