import assert from 'node:assert/strict'
import OpenAI from 'openai'
import type { ResponseInput, ResponseOutputItem, ResponseStreamEvent } from 'openai/resources/responses/responses'
import t, { test } from 'tap'
import { startModels } from '../start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })

async function stream(body: object): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = []
  for await (const event of await openai.responses.create({ ...body, stream: true })) events.push(event)
  return events
}

/** The package's type of outputs does not fit its type of inputs, although the API accepts them back. */
const replay = (output: ResponseOutputItem[]) => output as ResponseInput

const weather = {
  type: 'function' as const,
  name: 'get_weather',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false
  }
}

test('an answer has the documented shape, and its usage is the bill', async () => {
  const answer = await openai.responses.create({ model: 'm', input: 'say 7 words', metadata: { a: 'b' } })
  assert.match(answer.id, /^resp_\w{24}$/)
  assert.equal(answer.status, 'completed')
  assert.equal(answer.output_text.split(' ').length, 7)
  assert.deepEqual(answer.metadata, { a: 'b' })
  assert.equal(answer.service_tier, 'default')
  const seen = models.requests().at(-1)!
  assert.equal(seen.endpoint, '/v1/responses')
  assert.equal(seen.completionTokens, 7)
  assert.deepEqual(answer.usage, {
    input_tokens: seen.promptTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: seen.promptTokens + 7
  })
})

test('tools within the input count as tokens of the prompt, as Codex sends them', async () => {
  const ask = async (tools: object[]) => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools },
      { role: 'user', content: 'say 2 words' }
    ] as unknown as ResponseInput
    const { output_text: text, usage } = await openai.responses.create({ model: 'm', input, store: false })
    assert.equal(text.split(' ').length, 2)
    return usage!.input_tokens
  }
  assert.ok((await ask([{ type: 'namespace', name: 'functions', tools: [weather] }])) > (await ask([])))
})

test('a stream sends typed events in order, numbers them, and reports usage only at its end', async () => {
  const events = await stream({ model: 'm', input: 'say 2 words' })
  assert.deepEqual(
    events.map(({ type }) => type.replace('response.', '')),
    [
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed'
    ]
  )
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, index) => index)
  )
  const [created, ...rest] = events
  assert.ok(created?.type === 'response.created' && created.response.usage === null)
  const last = rest.at(-1)
  assert.ok(last?.type === 'response.completed')
  assert.equal(last.response.usage?.output_tokens, 2)
  assert.equal(models.requests().at(-1)?.completionTokens, 2)
})

test('a stream has a line for each event’s name, and no [DONE]', async () => {
  const response = await openai.responses.create({ model: 'm', input: 'hi', stream: true }).asResponse()
  const frames = (await response.text()).split('\n\n').slice(0, -1)
  for (const frame of frames) {
    const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? []
    assert.equal(JSON.parse(data).type, name)
  }
  assert.match(frames.at(-1) ?? '', /^event: response\.completed/)
})

test('a stream that the client assembles is the plain answer', async () => {
  const body = { model: 'm', input: 'What is a gateway?', reasoning: { effort: 'low', summary: 'auto' } } as const
  const plain = await openai.responses.create(body)
  const assembled = await openai.responses.stream(body).finalResponse()
  assert.equal(assembled.output_text, plain.output_text)
  assert.deepEqual(assembled.usage, plain.usage)
  assert.deepEqual(
    assembled.output.map(({ type }) => type),
    ['reasoning', 'message']
  )
  assert.equal(plain.usage?.output_tokens_details.reasoning_tokens, 16)
})

test('tools are called until the input ends with their outputs', async () => {
  const input: ResponseInput = [{ role: 'user', content: 'Please use get_weather for Zürich' }]
  const first = await openai.responses.create({ model: 'm', input, tools: [weather] })
  const [call] = first.output
  assert.ok(call?.type === 'function_call')
  assert.deepEqual(JSON.parse(call.arguments), { city: 'sandbox' })
  input.push(...replay(first.output), { type: 'function_call_output', call_id: call.call_id, output: '18 degrees' })
  const second = await openai.responses.create({ model: 'm', input, tools: [weather] })
  assert.match(second.output_text, /^The tool answered "18 degrees"/)
  const chained = await openai.responses.create({
    model: 'm',
    previous_response_id: first.id,
    input: [{ type: 'function_call_output', call_id: call.call_id, output: '18 degrees' }],
    tools: [weather]
  })
  assert.equal(chained.output_text, second.output_text)
  assert.equal(chained.usage?.input_tokens, second.usage?.input_tokens)
})

test('a streamed call has its arguments in pieces, and its tokens are billed', async () => {
  const tools = [weather, { type: 'custom' as const, name: 'shell' }]
  const events = await stream({ model: 'm', input: 'get_weather and shell', tools })
  const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []))
  assert.deepEqual(
    done.map(({ type }) => type),
    ['function_call', 'custom_tool_call']
  )
  const deltas = events.flatMap((event) => (event.type === 'response.function_call_arguments.delta' ? event.delta : []))
  assert.ok(done[0]?.type === 'function_call' && done[0].arguments === deltas.join(''))
  const last = events.at(-1)
  assert.ok(last?.type === 'response.completed')
  assert.equal(last.response.usage?.output_tokens, models.requests().at(-1)?.completionTokens)
})

test('an answer follows the requested JSON schema', async () => {
  const parsed = await openai.responses.parse({
    model: 'm',
    input: 'hi',
    text: { format: { type: 'json_schema', name: 'weather', schema: weather.parameters } }
  })
  assert.deepEqual(parsed.output_parsed, { city: 'sandbox' })
})

test('max_output_tokens ends an answer as incomplete, with its usage', async () => {
  const body = { model: 'm', input: 'say 100 words', max_output_tokens: 20 }
  const answer = await openai.responses.create(body)
  assert.equal(answer.status, 'incomplete')
  assert.equal(answer.incomplete_details?.reason, 'max_output_tokens')
  assert.equal(answer.usage?.output_tokens, 20)
  const last = (await stream(body)).at(-1)
  assert.ok(last?.type === 'response.incomplete')
  assert.equal(last.response.usage?.output_tokens, 20)
  const thought = await openai.responses.create({ ...body, model: 'm+reasoning-tokens=50' })
  assert.deepEqual(
    thought.output.map(({ type }) => type),
    ['reasoning']
  )
  assert.equal(thought.usage?.output_tokens_details.reasoning_tokens, 20)
})

test('encrypted reasoning is accepted back, and refused from another server', async () => {
  const answer = await openai.responses.create({ model: 'm+reasoning-tokens=9', input: 'hi', store: false })
  const input = [...replay(answer.output), { role: 'user' as const, content: 'and now?' }]
  assert.equal((await openai.responses.create({ model: 'm', input })).status, 'completed')
  const other = await startModels({ port: 0 })
  const elsewhere = new OpenAI({ apiKey: 'sandbox', baseURL: other.baseUrl, maxRetries: 0 })
  await assert.rejects(elsewhere.responses.create({ model: 'm', input }), (error) => {
    return error instanceof OpenAI.BadRequestError && error.code === 'invalid_encrypted_content'
  })
  await other.close()
})

test('the web search is billed per call, within max_tool_calls', async () => {
  const body = { model: 'm+searches=3', input: 'news?', tools: [{ type: 'web_search' as const }] }
  const answer = await openai.responses.create(body)
  assert.equal(answer.tool_usage?.web_search.num_requests, 3)
  assert.equal(answer.output.filter(({ type }) => type === 'web_search_call').length, 3)
  assert.deepEqual(models.requests().at(-1)?.toolCalls, { web_search: 3 })
  const last = (await stream({ ...body, max_tool_calls: 1 })).at(-1)
  assert.ok(last?.type === 'response.completed' && last.response.tool_usage?.web_search.num_requests === 1)
})

test('cached and written tokens are parts of the input, and the served tier is reported', async () => {
  const input = 'say 4 words [sandbox+cached-tokens=3+cache-write-tokens=2+cache-write-long-tokens=1]'
  const answer = await openai.responses.create({ model: 'm', input, service_tier: 'fast' })
  assert.deepEqual(answer.usage?.input_tokens_details, {
    cached_tokens: 3,
    cache_write_tokens: 3,
    cache_write_tokens_details: { ttl_30m_tokens: 2, ttl_12h_tokens: 1 }
  })
  assert.equal(answer.service_tier, 'priority')
  const { cacheWriteTokens, cacheWriteLongTokens, serviceTier } = models.requests().at(-1)!
  assert.deepEqual([cacheWriteTokens, cacheWriteLongTokens, serviceTier], [2, 1, 'priority'])
})

test('input tokens are counted as the answer reports them', async () => {
  const body = { model: 'm', input: 'Hello there', instructions: 'Be brief', tools: [weather] }
  const counted = await openai.responses.inputTokens.count(body)
  assert.equal(counted.input_tokens, (await openai.responses.create(body)).usage?.input_tokens)
})

t.end()
