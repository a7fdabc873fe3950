import assert from 'node:assert/strict'
import type { LanguageModel } from 'ai'
import { z } from 'zod'
import { type ClientAccess, type Journeys, twentyWords } from './client-access.ts'
import type { AiSdkKit } from './kits.ts'

/** Tests Vercel's AI SDK with its provider for OpenAI-compatible servers. */
export function aiSdk(t: Journeys, kit: AiSdkKit, { baseURL, apiKey, freeApiKey }: ClientAccess): void {
  const { APICallError, createOpenAICompatible, embed, embedMany, generateText } = kit
  const settings = { name: 'tollgate', baseURL, includeUsage: true, supportsStructuredOutputs: true }
  const provider = createOpenAICompatible({ ...settings, apiKey })
  answers(t, kit, provider('gpt-4o-mini'))

  t.test(['embeddings'], 'embed and embedMany return vectors', async () => {
    const model = provider.embeddingModel('text-embedding-3-small')
    const one = await embed({ model, value: 'Hello' })
    assert.equal(one.embedding.length, 1536)
    assert.equal(one.usage.tokens, 1)
    const many = await embedMany({ model, values: ['Hello', 'World'] })
    assert.deepEqual(many.embeddings[0], one.embedding)
    assert.equal(many.embeddings.length, 2)
  })

  t.test(['legacy completions'], 'legacy completions work', async () => {
    const { text } = await generateText({
      model: provider.completionModel('local/qwen3-8b-completions'),
      prompt: 'Say 20 words.',
      maxOutputTokens: 50
    })
    assert.equal(text.trim().split(' ').length, 20)
  })

  t.test(['refusals'], 'a refusal is an APICallError with the gateway’s message', async () => {
    const model = createOpenAICompatible({ ...settings, apiKey: freeApiKey })('gpt-4o')
    const failure = await generateText({ model, prompt: 'Hi' }).catch((error: unknown) => error)
    if (!APICallError.isInstance(failure)) return assert.fail(String(failure))
    assert.equal(failure.statusCode, 403)
    assert.equal(failure.isRetryable, false)
    assert.partialDeepStrictEqual(failure.data, { error: { code: 'model_not_allowed', message: failure.message } })
  })
}

/** Tests Vercel's AI SDK with its provider for OpenAI, which uses the Responses API. */
export function aiSdkOpenai(t: Journeys, kit: AiSdkKit, { baseURL, apiKey, model: name }: ClientAccess): void {
  const sent: string[] = []
  const recording: typeof fetch = (input, init) => {
    sent.push(String(init?.body))
    return fetch(input, init)
  }
  const model = kit.createOpenAI({ baseURL, apiKey, fetch: recording })(name)
  answers(t, kit, model)

  t.test(['references to stored items'], 'the next turn of a conversation refers to the stored answer', async () => {
    const responseMessages = kit.responseMessagesOf(await kit.generateText(withTools(kit, model).request))
    const messages = [...responseMessages, { role: 'user' as const, content: 'Say 20 words.' }]
    assert.match((await kit.generateText({ model, messages })).text, twentyWords)
    assert.match(sent.at(-1)!, /"type":"item_reference"/)
  })
}

/** Tests Vercel's AI SDK with its provider for Anthropic, which uses the Messages API. */
export function aiSdkAnthropic(t: Journeys, kit: AiSdkKit, { baseURL, apiKey, model: name }: ClientAccess): void {
  answers(t, kit, kit.createAnthropic({ baseURL, apiKey })(name))
}

/** Tests what every provider can do. */
function answers(t: Journeys, kit: AiSdkKit, model: LanguageModel): void {
  const { generateText, instruct, Output, streamText } = kit
  t.test(['answer'], 'generateText returns text, finish reason and usage', async () => {
    const { text, finishReason, usage } = await generateText({
      model,
      ...instruct('Be brief.'),
      prompt: 'Say 20 words.'
    })
    assert.match(text, twentyWords)
    assert.equal(finishReason, 'stop')
    assert.equal(usage.outputTokens, 20)
    assert.equal(typeof usage.inputTokens, 'number')
  })

  t.test(['stream'], 'streamText returns the text in pieces, with its usage', async () => {
    const result = streamText({ model, prompt: 'Say 20 words.' })
    const pieces = await Array.fromAsync(result.textStream)
    assert.ok(pieces.length > 10, 'in pieces')
    assert.match(pieces.join(''), twentyWords)
    const usage = await result.usage
    assert.equal(usage.outputTokens, 20)
    assert.equal(typeof usage.inputTokens, 'number')
  })

  t.test(['tools'], 'tools are called, with and without streaming, and the answer uses their result', async () => {
    const { request, inputs } = withTools(kit, model)
    const whole = await generateText(request)
    const streamed = streamText(request)
    for (const [text, steps] of [
      [whole.text, whole.steps],
      [await streamed.text, await streamed.steps]
    ] as const) {
      assert.match(text, /^The tool answered "\{"sky":"snow"\}"\. /)
      assert.equal(steps.length, 2)
      assert.partialDeepStrictEqual(steps[0]!.toolResults, [
        { toolName: 'weather', input: { city: 'Oslo' }, output: { sky: 'snow' } }
      ])
    }
    assert.deepEqual(inputs, [{ city: 'Oslo' }, { city: 'Oslo' }])
  })

  t.test(['structured output'], 'structured output works with and without streaming', async () => {
    const output = Output.object({ schema: z.object({ city: z.enum(['Oslo']), degrees: z.int().min(3) }) })
    const request = { model, output, prompt: 'The weather of Oslo' }
    for (const answer of [(await generateText(request)).output, await streamText(request).output]) {
      assert.deepEqual(answer, { city: 'Oslo', degrees: 3 })
    }
  })
}

/** A request whose answer needs a tool, and the inputs of the tool's calls. */
function withTools({ isStepCount, tool }: AiSdkKit, model: LanguageModel) {
  const inputs: unknown[] = []
  const weather = tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.enum(['Oslo']) }),
    execute: async (input) => {
      inputs.push(input)
      return { sky: 'snow' }
    }
  })
  const prompt = 'What does weather say of Oslo?'
  return { request: { model, prompt, tools: { weather }, stopWhen: isStepCount(3) }, inputs }
}
