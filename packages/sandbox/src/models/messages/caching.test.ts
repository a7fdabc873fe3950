import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import t, { test } from 'tap'
import { startModels } from '../start-models.ts'
import { type Lifetime, PromptCache } from './prompt.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const anthropic = new Anthropic({ apiKey: 'sandbox', baseURL: models.url, maxRetries: 0 })
const cached = (text: string, ttl?: '5m' | '1h') => ({
  type: 'text' as const,
  text,
  cache_control: { type: 'ephemeral' as const, ...(ttl && { ttl }) }
})

const ask = async (body: object) => {
  const request = { model: 'm', max_tokens: 50, messages: [{ role: 'user' as const, content: 'hi' }] }
  const { usage } = await anthropic.messages.create({ ...request, ...body, stream: false })
  const { ephemeral_5m_input_tokens: short = 0, ephemeral_1h_input_tokens: long = 0 } = usage.cache_creation ?? {}
  return { input: usage.input_tokens, read: usage.cache_read_input_tokens ?? 0, short, long }
}

test('a marked prompt is written at first sight and read on repetition, and the kinds add up', async () => {
  const system = [cached('The rules of the house', '1h'), cached('The guests of today')]
  const { input_tokens: total } = await anthropic.messages.countTokens({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    system
  })
  const first = await ask({ system })
  assert.ok(first.long > 0 && first.short > 0 && first.read === 0)
  const second = await ask({ system })
  assert.deepEqual(second, { input: first.input, read: first.short + first.long, short: 0, long: 0 })
  for (const { input, read, short, long } of [first, second]) assert.equal(input + read + short + long, total)
  const seen = models.requests().at(-1)!
  assert.deepEqual([seen.promptTokens, seen.cachedTokens], [total, second.read])
})

test('only the equal start of a prompt is read', async () => {
  const first = await ask({ system: [cached('Equal'), cached('Different')] })
  const second = await ask({ system: [cached('Equal'), cached('Something else')] })
  assert.ok(second.read > 0 && second.read < first.short)
  assert.ok(second.short > 0)
  assert.equal((await ask({ model: 'other', system: [cached('Equal')] })).read, 0)
})

test('a conversation with automatic caching reads its earlier messages', async () => {
  const messages = [{ role: 'user', content: 'My name is Ada' }]
  const first = await ask({ messages, cache_control: { type: 'ephemeral' } })
  messages.push({ role: 'assistant', content: 'Hello Ada' }, { role: 'user', content: 'Who am I?' })
  const second = await ask({ messages, cache_control: { type: 'ephemeral' } })
  assert.equal(second.read, first.short)
  assert.ok(second.short > 0)
})

test('directives replace the counts of the cache', async () => {
  const counts = await ask({ model: 'm+cached-tokens=3+cache-write-tokens=2+cache-write-long-tokens=1' })
  assert.deepEqual([counts.read, counts.short, counts.long], [3, 2, 1])
})

test('a refused request writes nothing', async () => {
  const system = [cached('Only for errors')]
  await assert.rejects(ask({ system, model: 'm+status=529+every=2' }))
  assert.equal((await ask({ system, model: 'm+status=529+every=2' })).read, 0)
})

test('breakpoints are at most four, the long-lived ones first', async () => {
  await assert.rejects(ask({ system: ['a', 'b', 'c', 'd', 'e'].map((text) => cached(text)) }), /A maximum of 4 blocks/)
  await assert.rejects(ask({ system: [cached('a'), cached('b', '1h')] }), /must not come after a ttl='5m'/)
})

test('a cached prompt expires after its lifetime, which each use extends', async () => {
  const cache = new PromptCache()
  const use = (lifetime: Lifetime, nowMs: number) => {
    const lookup = cache.look(lifetime, [{ content: 'a', tokens: 7, lifetime }], nowMs)
    lookup.remember()
    return lookup.read
  }
  assert.deepEqual([use('5m', 0), use('5m', 299_999), use('5m', 599_998), use('5m', 899_998)], [0, 7, 7, 0])
  assert.deepEqual([use('1h', 0), use('1h', 3_599_999), use('1h', 7_199_999)], [0, 7, 0])
})

t.end()
