import assert from 'node:assert/strict'
import type { LanguageModel } from 'ai'
import { z } from 'zod'
import { type ClientAccess, twentyWords } from './client-access.ts'
import type { Journeys } from './journeys.ts'
import type { AiSdkKit } from './kits.ts'

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
    const responseMessages = kit.responseMessagesOf(await kit.generateText(withTools(kit, model)))
    const messages = [...responseMessages, { role: 'user' as const, content: 'Say 20 words.' }]
    assert.match((await kit.generateText({ model, messages })).text, twentyWords)
    assert.match(sent.at(-1)!, /"type":"item_reference"/)
  })
}

/** Tests Vercel's AI SDK with its provider for Anthropic, which uses the Messages API. */
export function aiSdkAnthropic(t: Journeys, kit: AiSdkKit, { baseURL, apiKey, model: name }: ClientAccess): void {
  answers(t, kit, kit.createAnthropic({ baseURL, apiKey })(name))
}

function withTools({ isStepCount, tool }: AiSdkKit, model: LanguageModel) {
  const weather = tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.enum(['Oslo']) }),
    execute: async () => ({ sky: 'snow' })
  })
  return { model, prompt: 'What does weather say of Oslo?', tools: { weather }, stopWhen: isStepCount(3) }
}

function answers(t: Journeys, kit: AiSdkKit, model: LanguageModel): void {
  const { generateText, Output, streamText } = kit
  t.test(['answer'], 'generateText returns text, finish reason and usage', async () => {
    const { text, finishReason, usage } = await generateText({ model, prompt: 'Say 20 words.' })
    assert.match(text, twentyWords)
    assert.deepEqual([finishReason, usage.outputTokens], ['stop', 20])
  })

  t.test(['stream'], 'streamText returns the text in pieces, with its usage', async () => {
    const result = streamText({ model, prompt: 'Say 20 words.' })
    const pieces = await Array.fromAsync(result.textStream)
    assert.ok(pieces.length > 10, 'in pieces')
    assert.match(pieces.join(''), twentyWords)
    assert.equal((await result.usage).outputTokens, 20)
  })

  t.test(['tools'], 'tools are called, with and without streaming, and the answer uses their result', async () => {
    const whole = await kit.generateText(withTools(kit, model))
    const streamed = streamText(withTools(kit, model))
    for (const [text, steps] of [
      [whole.text, whole.steps],
      [await streamed.text, await streamed.steps]
    ] as const) {
      assert.match(text, /^The tool answered "\{"sky":"snow"\}"\. /)
      assert.equal(steps.length, 2)
      assert.partialDeepStrictEqual(steps[0]!.toolResults, [{ toolName: 'weather', output: { sky: 'snow' } }])
    }
  })

  t.test(['structured output'], 'structured output works', async () => {
    const output = Output.object({ schema: z.object({ city: z.enum(['Oslo']) }) })
    assert.deepEqual((await generateText({ model, output, prompt: 'A city' })).output, { city: 'Oslo' })
  })
}
