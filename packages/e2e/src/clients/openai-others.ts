import assert from 'node:assert/strict'
import type OpenAITypes from 'openai'
import { z } from 'zod'
import { type ClientAccess, failureOf, type Journeys, twentyWords } from './client-access.ts'
import type { OpenaiKit } from './kits.ts'

const completion = { model: 'local/qwen3-8b-completions', prompt: 'Say 20 words.', max_tokens: 50 }
const embedding = 'text-embedding-3-small'

const length = (vector: readonly number[]) => Math.hypot(...vector)

/** Tests embeddings, legacy completions and models with the official SDK. */
export function openaiOthers(t: Journeys, { OpenAI }: OpenaiKit, { baseURL, apiKey, freeApiKey }: ClientAccess): void {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  embeddings(t, openai)
  legacyCompletions(t, openai)

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

function embeddings(t: Journeys, openai: OpenAITypes): void {
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
}

function legacyCompletions(t: Journeys, openai: OpenAITypes): void {
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
}

/** Tests the Responses API with the official SDK. */
export function openaiResponses(
  t: Journeys,
  { OpenAI, zodTextFormat }: OpenaiKit,
  { baseURL, apiKey, model }: ClientAccess
): void {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const question = { model, input: 'Say 20 words.' }

  t.test(['answer', 'stream'], 'a stream has the same text as a single body', async () => {
    const whole = await openai.responses.create(question)
    assert.match(whole.output_text, twentyWords)
    assert.partialDeepStrictEqual(whole, { object: 'response', status: 'completed', usage: { output_tokens: 20 } })
    const events = await Array.fromAsync(await openai.responses.create({ ...question, stream: true }))
    const pieces = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
    assert.ok(pieces.length > 10, 'in pieces')
    assert.equal(pieces.join(''), whole.output_text)
    assert.partialDeepStrictEqual(events.at(-1), { type: 'response.completed', response: { usage: whole.usage } })
  })

  t.test(['stream'], 'the stream() helper assembles the answer', async () => {
    const answer = await openai.responses.stream(question).finalResponse()
    assert.match(answer.output_text, twentyWords)
  })

  t.test(['structured output'], 'parse() reads an answer that matches a schema', async () => {
    const schema = z.object({ city: z.enum(['Oslo']), degrees: z.int().min(3) })
    const answer = await openai.responses.parse({ ...question, text: { format: zodTextFormat(schema, 'weather') } })
    assert.deepEqual(answer.output_parsed, { city: 'Oslo', degrees: 3 })
  })

  t.test(['tools', '`previous_response_id`'], 'a tool is called, and a second response uses its result', async () => {
    const parameters = z.toJSONSchema(z.object({ city: z.enum(['Oslo']) })) as Record<string, unknown>
    const tools = [{ type: 'function' as const, name: 'weather', parameters, strict: true }]
    const input: OpenAITypes.Responses.ResponseInput = [{ role: 'user', content: 'What does weather say of Oslo?' }]
    const first = await openai.responses.create({ ...question, input, tools })
    const call = first.output.find((item) => item.type === 'function_call')
    assert.deepEqual([call?.name, call?.arguments], ['weather', '{"city":"Oslo"}'])
    const result = { type: 'function_call_output' as const, call_id: call!.call_id, output: 'snow' }
    const items = await openai.responses.create({
      ...question,
      tools,
      input: [...input, ...(first.output as OpenAITypes.Responses.ResponseInputItem[]), result]
    })
    const stored = await openai.responses.create({
      ...question,
      tools,
      input: [result],
      previous_response_id: first.id
    })
    for (const answer of [items, stored]) assert.match(answer.output_text, /^The tool answered "snow"\. /)
  })

  t.test(['stored responses'], 'a stored response can be read, listed and deleted', async () => {
    const { id, output_text: text } = await openai.responses.create(question)
    assert.equal((await openai.responses.retrieve(id)).output_text, text)
    assert.equal((await Array.fromAsync(openai.responses.inputItems.list(id))).length, 1)
    await openai.responses.delete(id)
    await assert.rejects(openai.responses.retrieve(id), OpenAI.NotFoundError)
  })
}
