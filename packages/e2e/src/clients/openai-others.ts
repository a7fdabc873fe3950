import assert from 'node:assert/strict'
import type { ClientAccess } from './client-access.ts'
import { failureOf } from './failure-of.ts'
import type { Journeys } from './journeys.ts'
import type { OpenaiKit } from './kits.ts'

const completion = { model: 'local/qwen3-8b-completions', prompt: 'Say 20 words.', max_tokens: 50 }
const embedding = 'text-embedding-3-small'

const length = (vector: readonly number[]) => Math.hypot(...vector)

/** Tests embeddings, legacy completions and models with the official SDK. */
export function openaiOthers(t: Journeys, { OpenAI }: OpenaiKit, { baseURL, apiKey, freeApiKey }: ClientAccess): void {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })

  t.test(['answer', 'base64 and floats'], 'embeddings: base64 and floats give the same vector', async () => {
    const decoded = await openai.embeddings.create({ model: embedding, input: 'Hello' })
    const floats = await openai.embeddings.create({ model: embedding, input: 'Hello', encoding_format: 'float' })
    assert.partialDeepStrictEqual(decoded, {
      object: 'list',
      model: embedding,
      usage: { prompt_tokens: 1, total_tokens: 1 }
    })
    assert.equal(decoded.data[0]!.embedding.length, 1536)
    assert.ok(Math.abs(length(decoded.data[0]!.embedding) - 1) < 1e-6, 'a vector of length 1')
    assert.deepEqual(decoded.data[0]!.embedding, floats.data[0]!.embedding)
    const text = await openai.embeddings.create({ model: embedding, input: 'Hello', encoding_format: 'base64' })
    assert.equal(typeof text.data[0]!.embedding, 'string', 'base64 is returned on request')
  })

  t.test(
    ['answer', 'token inputs and dimensions'],
    'embeddings: several inputs, as texts and as tokens, with fewer dimensions',
    async () => {
      const texts = await openai.embeddings.create({ model: embedding, input: ['one', 'two', 'one'], dimensions: 64 })
      assert.deepEqual(
        texts.data.map(({ index, embedding }) => [index, embedding.length]),
        [0, 1, 2].map((index) => [index, 64])
      )
      assert.deepEqual(texts.data[0]!.embedding, texts.data[2]!.embedding)
      assert.notDeepEqual(texts.data[0]!.embedding, texts.data[1]!.embedding)
      const tokens = await openai.embeddings.create({ model: embedding, input: [[1, 2, 3], [4]] })
      assert.equal(tokens.data.length, 2)
      assert.equal(tokens.usage.prompt_tokens, 4)
    }
  )

  t.test(['answer', 'stream'], 'legacy completions: a stream has the same text as a single body', async () => {
    const whole = await openai.completions.create(completion)
    assert.partialDeepStrictEqual(whole, {
      object: 'text_completion',
      model: 'Qwen/Qwen3-8B',
      choices: [{ finish_reason: 'stop' }],
      usage: { completion_tokens: 20 }
    })
    assert.match(whole.choices[0]!.text, /^( \w+){20}$/)
    const chunks = await Array.fromAsync(await openai.completions.create({ ...completion, stream: true }))
    assert.ok(chunks.every(({ choices }) => choices.length === 1))
    const streamed = chunks.map(({ choices }) => choices[0]!.text).join('')
    assert.equal(streamed, whole.choices[0]!.text)
  })

  t.test(
    ['legacy completions'],
    'legacy completions: several prompts, and stream usage with include_usage',
    async () => {
      const several = await openai.completions.create({ ...completion, prompt: ['Say 2 words.', 'Say 3 words.'] })
      assert.deepEqual(
        several.choices.map(({ text }) => text.trim().split(' ').length),
        [2, 3]
      )
      const stream = await openai.completions.create({
        ...completion,
        stream: true,
        stream_options: { include_usage: true }
      })
      const last = (await Array.fromAsync(stream)).at(-1)!
      assert.partialDeepStrictEqual(last, { choices: [], usage: { completion_tokens: 20 } })
    }
  )

  t.test(
    ['the models of the plan'],
    'models: the list has the models of the plan, and each can be retrieved',
    async () => {
      const all = (await Array.fromAsync(openai.models.list())).map(({ id }) => id)
      for (const id of ['gpt-5', completion.model, embedding]) assert.ok(all.includes(id), id)
      assert.partialDeepStrictEqual(await openai.models.retrieve(embedding), {
        id: embedding,
        object: 'model',
        owned_by: 'openai'
      })
      const free = new OpenAI({ baseURL, apiKey: freeApiKey, maxRetries: 0 })
      assert.equal(
        (await Array.fromAsync(free.models.list())).some(({ id }) => id === 'gpt-5'),
        false
      )
      const refusal = await failureOf(OpenAI, free.models.retrieve('gpt-5'))
      assert.ok(refusal instanceof OpenAI.PermissionDeniedError)
    }
  )
}
