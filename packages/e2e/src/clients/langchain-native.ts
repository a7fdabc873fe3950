import assert from 'node:assert/strict'
import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import type { Test } from 'tap'
import { z } from 'zod'
import { type ClientAccess, twentyWords } from './client-access.ts'

/** Tests LangChain's OpenAI package with the Responses API. */
export function langChainResponses(t: Test, { baseURL, apiKey }: ClientAccess): void {
  const settings = { apiKey, maxRetries: 0, configuration: { baseURL } }
  answers(t, new ChatOpenAI({ ...settings, model: 'client-langchain-openai', useResponsesApi: true }), 20)
}

/** Tests LangChain's Anthropic package. */
export function langChainAnthropic(t: Test, { origin, apiKey }: ClientAccess): void {
  const settings = { apiKey, maxRetries: 0, anthropicApiUrl: origin, maxTokens: 1000 }
  // It adds the preliminary count of `message_start`, 1, to the final count.
  answers(t, new ChatAnthropic({ ...settings, model: 'client-langchain-anthropic' }), 21)
}

function answers(t: Test, chat: BaseChatModel, streamedTokens: number): void {
  t.test('invoke returns text and usage', async () => {
    const answer = await chat.invoke('Say 20 words.')
    assert.match(answer.text, twentyWords)
    assert.partialDeepStrictEqual(answer.usage_metadata, { output_tokens: 20 })
  })

  t.test('the chunks of a stream add up to the answer, with its usage', async () => {
    const chunks = await Array.fromAsync(await chat.stream('Say 20 words.'))
    assert.ok(chunks.length > 10, 'in pieces')
    const answer = chunks.reduce((sum, chunk) => sum.concat(chunk))
    assert.match(answer.text, twentyWords)
    assert.partialDeepStrictEqual(answer.usage_metadata, { output_tokens: streamedTokens })
  })

  t.test('bindTools calls a tool and answers with its result', async () => {
    const weather = tool(async ({ city }) => `snow in ${city}`, {
      name: 'weather',
      description: 'The weather of a city',
      schema: z.object({ city: z.enum(['Oslo']) })
    })
    const question = new HumanMessage('What does weather say of Oslo?')
    const withTools = chat.bindTools!([weather])
    const call = await withTools.invoke([question])
    assert.partialDeepStrictEqual(call.tool_calls, [{ name: 'weather', args: { city: 'Oslo' } }])
    const answer = await withTools.invoke([question, call, await weather.invoke(call.tool_calls![0]!)])
    assert.match(answer.text, /^The tool answered "snow in Oslo"\. /)
  })
}
