import assert from 'node:assert/strict'
import type OpenAITypes from 'openai'
import { z } from 'zod'
import { type ClientAccess, twentyWords } from './client-access.ts'
import type { Journeys } from './journeys.ts'
import type { OpenaiKit } from './kits.ts'

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
    const asked = await openai.responses.create({ ...question, input, tools })
    const call = asked.output.find((item) => item.type === 'function_call')
    assert.deepEqual([call?.name, call?.arguments], ['weather', '{"city":"Oslo"}'])
    const result = { type: 'function_call_output' as const, call_id: call!.call_id, output: 'snow' }
    const items = await openai.responses.create({
      ...question,
      tools,
      input: [...input, ...(asked.output as OpenAITypes.Responses.ResponseInputItem[]), result]
    })
    const stored = await openai.responses.create({
      ...question,
      tools,
      input: [result],
      previous_response_id: asked.id
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
