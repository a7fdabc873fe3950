import assert from 'node:assert/strict'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { z } from 'zod'
import { type ClientAccess, twentyWords } from './client-access.ts'
import type { Journeys } from './journeys.ts'
import type { LangChainKit } from './kits.ts'

/** Tests LangChain's OpenAI package with the Responses API. */
export function langChainResponses(t: Journeys, kit: LangChainKit, { baseURL, apiKey, model }: ClientAccess): void {
  const settings = { apiKey, maxRetries: 0, configuration: { baseURL } }
  answers(t, kit, new kit.ChatOpenAI({ ...settings, model, useResponsesApi: true }), 20)
}

/** Tests LangChain's Anthropic package. */
export function langChainAnthropic(t: Journeys, kit: LangChainKit, { origin, apiKey, model }: ClientAccess): void {
  const settings = { apiKey, maxRetries: 0, anthropicApiUrl: origin, maxTokens: 1000 }
  // It adds the preliminary count of `message_start`, 1, to the final count.
  answers(t, kit, new kit.ChatAnthropic({ ...settings, model }), 21)
}

function answers(t: Journeys, { HumanMessage, tool }: LangChainKit, chat: BaseChatModel, streamedTokens: number): void {
  t.test(['answer'], 'invoke returns text and usage', async () => {
    const answer = await chat.invoke('Say 20 words.')
    assert.match(answer.text, twentyWords)
    assert.partialDeepStrictEqual(answer.usage_metadata, { output_tokens: 20 })
  })

  t.test(['stream'], 'the chunks of a stream add up to the answer, with its usage', async () => {
    const chunks = await Array.fromAsync(await chat.stream('Say 20 words.'))
    assert.ok(chunks.length > 10, 'in pieces')
    const answer = chunks.reduce((sum, chunk) => sum.concat(chunk))
    assert.match(answer.text, twentyWords)
    assert.partialDeepStrictEqual(answer.usage_metadata, { output_tokens: streamedTokens })
  })

  t.test(['tools'], 'bindTools calls a tool and answers with its result', async () => {
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
