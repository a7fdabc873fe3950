import assert from 'node:assert/strict'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, type LanguageModel, Output, streamText, tool } from 'ai'
import type { Test } from 'tap'
import { z } from 'zod'
import { type ClientAccess, twentyWords } from './client-access.ts'

/** Tests Vercel's AI SDK with its provider for OpenAI, which uses the Responses API. */
export function aiSdkOpenai(t: Test, { baseURL, apiKey }: ClientAccess): void {
  const sent: string[] = []
  const recording: typeof fetch = (input, init) => {
    sent.push(String(init?.body))
    return fetch(input, init)
  }
  const model = createOpenAI({ baseURL, apiKey, fetch: recording })('client-ai-openai')
  answers(t, model)

  t.test('the next turn of a conversation refers to the stored answer', async () => {
    const { responseMessages } = await generateText(withTools(model))
    const messages = [...responseMessages, { role: 'user' as const, content: 'Say 20 words.' }]
    assert.match((await generateText({ model, messages })).text, twentyWords)
    assert.match(sent.at(-1)!, /"type":"item_reference"/)
  })
}

/** Tests Vercel's AI SDK with its provider for Anthropic, which uses the Messages API. */
export function aiSdkAnthropic(t: Test, { baseURL, apiKey }: ClientAccess): void {
  answers(t, createAnthropic({ baseURL, apiKey })('client-ai-anthropic'))
}

function withTools(model: LanguageModel) {
  const weather = tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.enum(['Oslo']) }),
    execute: async () => ({ sky: 'snow' })
  })
  return { model, prompt: 'What does weather say of Oslo?', tools: { weather }, stopWhen: isStepCount(3) }
}

function answers(t: Test, model: LanguageModel): void {
  t.test('generateText returns text, finish reason and usage', async () => {
    const { text, finishReason, usage } = await generateText({ model, prompt: 'Say 20 words.' })
    assert.match(text, twentyWords)
    assert.deepEqual([finishReason, usage.outputTokens], ['stop', 20])
  })

  t.test('streamText returns the text in pieces, with its usage', async () => {
    const result = streamText({ model, prompt: 'Say 20 words.' })
    const pieces = await Array.fromAsync(result.textStream)
    assert.ok(pieces.length > 10, 'in pieces')
    assert.match(pieces.join(''), twentyWords)
    assert.equal((await result.usage).outputTokens, 20)
  })

  t.test('tools are called, with and without streaming, and the answer uses their result', async () => {
    const whole = await generateText(withTools(model))
    const streamed = streamText(withTools(model))
    for (const [text, steps] of [
      [whole.text, whole.steps],
      [await streamed.text, await streamed.steps]
    ] as const) {
      assert.match(text, /^The tool answered "\{"sky":"snow"\}"\. /)
      assert.equal(steps.length, 2)
      assert.partialDeepStrictEqual(steps[0]!.toolResults, [{ toolName: 'weather', output: { sky: 'snow' } }])
    }
  })

  t.test('structured output works', async () => {
    const output = Output.object({ schema: z.object({ city: z.enum(['Oslo']) }) })
    assert.deepEqual((await generateText({ model, output, prompt: 'A city' })).output, { city: 'Oslo' })
  })
}
