import assert from 'node:assert/strict'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { z } from 'zod'
import { type ClientAccess, type Journeys, twentyWords } from './client-access.ts'
import type { LangChainKit } from './kits.ts'

/** Tests LangChain's OpenAI package. */
export function langChain(t: Journeys, kit: LangChainKit, { baseURL, apiKey }: ClientAccess): void {
  const { ChatOpenAI, HumanMessage, OpenAIEmbeddings, ToolMessage, tool } = kit
  const settings = { apiKey, maxRetries: 0, configuration: { baseURL } }
  const chat = new ChatOpenAI({ ...settings, model: 'gpt-4o-mini' })

  t.test(['answer'], 'ChatOpenAI: invoke', async () => {
    const answer = await chat.invoke([
      ['system', 'Be brief.'],
      ['human', 'Say 20 words.']
    ])
    assert.match(answer.text, twentyWords)
    assert.equal(answer.usage_metadata?.output_tokens, 20)
    assert.equal(answer.usage_metadata.total_tokens, answer.usage_metadata.input_tokens + 20)
    assert.partialDeepStrictEqual(answer.response_metadata, { finish_reason: 'stop', model_name: 'gpt-4o-mini' })
  })

  t.test(['stream'], 'ChatOpenAI: the chunks of a stream add up to the answer, with its usage', async () => {
    const chunks = await Array.fromAsync(await chat.stream('Say 20 words.'))
    assert.ok(chunks.length > 10, 'in pieces')
    const answer = chunks.reduce((sum, chunk) => sum.concat(chunk))
    assert.match(answer.text, twentyWords)
    assert.partialDeepStrictEqual(answer.usage_metadata, { output_tokens: 20 })
  })

  t.test(['tools'], 'ChatOpenAI: bindTools calls a tool and answers with its result', async () => {
    const weather = tool(async ({ city }) => `snow in ${city}`, {
      name: 'weather',
      description: 'The weather of a city',
      schema: z.object({ city: z.enum(['Oslo']) })
    })
    const question = new HumanMessage('What does weather say of Oslo?')
    const withTools = chat.bindTools([weather])
    for (const stream of [false, true]) {
      const call = stream
        ? (await Array.fromAsync(await withTools.stream([question]))).reduce((sum, chunk) => sum.concat(chunk))
        : await withTools.invoke([question])
      assert.partialDeepStrictEqual(call.tool_calls, [{ name: 'weather', args: { city: 'Oslo' } }])
      assert.match(call.tool_calls![0]!.id!, /^call_/)
      const result = await weather.invoke(call.tool_calls![0]!)
      assert.ok(ToolMessage.isInstance(result))
      const answer = await withTools.invoke([question, call, result])
      assert.match(answer.text, /^The tool answered "snow in Oslo"\. /)
    }
  })

  t.test(['structured output'], 'ChatOpenAI: withStructuredOutput', async () => {
    const structured = chat.withStructuredOutput(z.object({ city: z.enum(['Oslo']), degrees: z.int() }))
    assert.deepEqual(await structured.invoke('The weather of Oslo'), { city: 'Oslo', degrees: 0 })
  })

  t.test(['embeddings'], 'OpenAIEmbeddings: embeds one text and several', async () => {
    const embeddings = new OpenAIEmbeddings({ ...settings, model: 'text-embedding-3-small' })
    const one = await embeddings.embedQuery('Hello')
    assert.equal(one.length, 1536)
    const several = await embeddings.embedDocuments(['Hello', 'World'])
    assert.equal(several.length, 2)
    assert.deepEqual(several[0], one)
  })
}

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
