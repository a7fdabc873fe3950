import assert from 'node:assert/strict'
import OpenAI from 'openai'
import t, { test } from 'tap'
import { startModels } from './start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
const ask = (model: string, content: string, more: { service_tier?: 'flex' | 'priority' | 'auto' } = {}) =>
  openai.chat.completions.create({ model, messages: [{ role: 'user', content }], ...more })

test('a marker in the prompt chooses the kinds of tokens, and usage and bill agree', async () => {
  const marker = '[sandbox+cached-tokens=3+cache-write-tokens=2+cache-write-long-tokens=1+audio-tokens=4+image-tokens=5'
  const { usage } = await ask(
    'm',
    `say 6 words ${marker}+audio-output-tokens=7+image-output-tokens=8+reasoning-tokens=9]`
  )
  assert.deepEqual(usage?.prompt_tokens_details, {
    cached_tokens: 3,
    audio_tokens: 4,
    cache_write_tokens: 3,
    image_tokens: 5
  })
  assert.equal(usage?.completion_tokens, 6 + 7 + 8 + 9)
  assert.equal(usage?.completion_tokens_details?.audio_tokens, 7)
  const seen = models.requests().at(-1)!
  assert.equal(seen.promptTokens, usage?.prompt_tokens)
  assert.equal(seen.completionTokens, usage?.completion_tokens)
  const { cachedTokens, cacheWriteTokens, cacheWriteLongTokens, audioPromptTokens, imagePromptTokens } = seen
  assert.deepEqual(
    [cachedTokens, cacheWriteTokens, cacheWriteLongTokens, audioPromptTokens, imagePromptTokens],
    [3, 2, 1, 4, 5]
  )
  assert.deepEqual([seen.audioCompletionTokens, seen.imageCompletionTokens, seen.reasoningTokens], [7, 8, 9])
})

test('cached and written tokens never exceed the prompt', async () => {
  const { usage } = await ask('m+cached-tokens=5+cache-write-tokens=1000', 'hi')
  assert.equal(usage?.prompt_tokens_details?.cached_tokens, 5)
  assert.equal(usage?.prompt_tokens_details?.cache_write_tokens, usage!.prompt_tokens - 5)
})

test('the tier served is the tier asked for, unless a directive sets another', async () => {
  for (const [model, requestTier, served] of [
    ['m', undefined, 'default'],
    ['m', 'auto', 'default'],
    ['m', 'flex', 'flex'],
    ['m+tier=default', 'priority', 'default'],
    ['m+tier=priority', undefined, 'priority']
  ] as const) {
    const answer = await ask(model, 'hi', requestTier === undefined ? {} : { service_tier: requestTier })
    assert.equal(answer.service_tier, served)
    assert.equal(models.requests().at(-1)?.serviceTier, served)
  }
})

test('a chat with the web search tool is billed for its searches', async () => {
  const messages = [{ role: 'user' as const, content: 'hi' }]
  await openai.chat.completions.create({ model: 'm+searches=3', messages, web_search_options: {} })
  assert.deepEqual(models.requests().at(-1)?.toolCalls, { web_search: 3 })
  await ask('m+searches=3', 'hi')
  assert.deepEqual(models.requests().at(-1)?.toolCalls, {})
})

test('the last marker counts, and replaces directives of the model name', async () => {
  const user = '[sandbox+tier=flex]'
  const messages = [{ role: 'user' as const, content: 'say 4 words [sandbox+tier=scale]' }]
  const answer = await openai.chat.completions.create({ model: 'm+tier=priority+reasoning-tokens=2', messages, user })
  assert.equal(answer.service_tier, 'flex')
  assert.equal(answer.usage?.completion_tokens, 6)
})

test('a marker that is not valid is refused', async () => {
  await assert.rejects(ask('m', '[sandbox+teir=flex]'), /"teir=flex" is not a directive/)
  await assert.rejects(ask('m+hang', '[sandbox+status=500]'), /cannot be combined/)
})

test('error-after ends a stream with an error event, and answers 500 without a stream', async () => {
  const messages = [{ role: 'user' as const, content: 'say 9 words' }]
  const chunks = await openai.chat.completions.create({ model: 'm+error-after=4', messages, stream: true })
  let read = 0
  const failure = await (async () => {
    for await (const _ of chunks) read += 1
  })().then(
    () => null,
    (error: unknown) => error
  )
  assert.ok(failure instanceof OpenAI.APIError)
  assert.equal(read, 4)
  assert.equal(models.requests().at(-1)?.completionTokens, 3)
  await assert.rejects(ask('m+error-after=4', 'hi'), OpenAI.InternalServerError)
})

t.end()
