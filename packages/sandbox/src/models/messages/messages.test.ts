import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import type { MessageParam, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages'
import t, { test } from 'tap'
import { startModels } from '../start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const anthropic = new Anthropic({ apiKey: 'sandbox', baseURL: models.url, maxRetries: 0 })
const user = (content: string): MessageParam[] => [{ role: 'user', content }]

async function stream(body: object): Promise<RawMessageStreamEvent[]> {
  const events: RawMessageStreamEvent[] = []
  const request = { model: 'm', max_tokens: 1000, messages: user('say 3 words'), ...body, stream: true as const }
  for await (const event of await anthropic.messages.create(request)) events.push(event)
  return events
}
const ask = (body: object) =>
  anthropic.messages.create({ model: 'm', max_tokens: 1000, messages: user('say 3 words'), ...body, stream: false })

const weather = {
  name: 'get_weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
}

test('an answer has the documented shape, and its usage is the bill', async () => {
  const answer = await ask({ system: 'Be brief' })
  assert.match(answer.id, /^msg_\w{24}$/)
  assert.equal(answer.stop_reason, 'end_turn')
  const [block] = answer.content
  assert.ok(block?.type === 'text' && block.text.split(' ').length === 3)
  const seen = models.requests().at(-1)!
  assert.equal(seen.endpoint, '/v1/messages')
  assert.equal(seen.serviceTier, 'standard')
  assert.deepEqual(answer.usage, {
    input_tokens: seen.promptTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 3,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: null,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    service_tier: 'standard',
    speed: null,
    inference_geo: 'not_available'
  })
})

test('a stream sends its events in order, with the input at its start and the whole usage at its end', async () => {
  const response = await anthropic.messages
    .create({ model: 'm', max_tokens: 1000, messages: user('say 2 words'), stream: true })
    .asResponse()
  const frames = (await response.text()).split('\n\n').slice(0, -1)
  const events = frames.map((frame) => {
    const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? []
    const event = JSON.parse(data)
    assert.equal(event.type, name)
    return event
  })
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop'
    ]
  )
  const seen = models.requests().at(-1)!
  assert.equal(events[0].message.usage.input_tokens, seen.promptTokens)
  assert.equal(events[0].message.usage.output_tokens, 1)
  assert.equal(events[6].usage.output_tokens, 2)
  assert.equal(seen.completionTokens, 2)
  assert.equal(response.headers.get('request-id'), seen.id)
})

test('a stream that the client assembles is the plain answer', async () => {
  const body = { model: 'm', max_tokens: 2000, messages: user('What is a gateway?'), tools: [weather] }
  const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
  const plain = await ask({ ...body, thinking })
  const assembled = await anthropic.messages.stream({ ...body, thinking }).finalMessage()
  assert.deepEqual(assembled.content, plain.content)
  assert.equal(assembled.usage.output_tokens, plain.usage.output_tokens)
  assert.equal(plain.usage.output_tokens_details?.thinking_tokens, 32)
  assert.deepEqual(
    plain.content.map(({ type }) => type),
    ['thinking', 'text']
  )
})

test('tools are called until the input ends with their results', async () => {
  const messages = user('Please use get_weather for Zürich')
  const thinking = { type: 'adaptive' as const }
  const first = await ask({ messages, tools: [weather], thinking })
  assert.equal(first.stop_reason, 'tool_use')
  const call = first.content.at(-1)
  assert.ok(call?.type === 'tool_use')
  assert.deepEqual(call.input, { city: 'sandbox' })
  assert.match(call.id, /^toolu_/)
  const result = { type: 'tool_result' as const, tool_use_id: call.id, content: '18 degrees' }
  messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [result] })
  const second = await ask({ messages, tools: [weather], thinking })
  const text = second.content.at(-1)
  assert.ok(text?.type === 'text' && text.text.startsWith('The tool answered "18 degrees"'))
})

test('a streamed call has its input in pieces, and its tokens are billed', async () => {
  const events = await stream({ messages: user('get_weather'), tools: [weather] })
  const json = events.flatMap((event) =>
    event.type === 'content_block_delta' && event.delta.type === 'input_json_delta' ? event.delta.partial_json : []
  )
  assert.deepEqual(JSON.parse(json.join('')), { city: 'sandbox' })
  const delta = events.at(-2)
  assert.ok(delta?.type === 'message_delta')
  assert.equal(delta.usage.output_tokens, models.requests().at(-1)?.completionTokens)
})

test('an answer follows the requested JSON schema', async () => {
  const format = { type: 'json_schema', schema: weather.input_schema }
  const { content } = await ask({ output_config: { format } })
  assert.deepEqual(content[0]?.type === 'text' && JSON.parse(content[0].text), { city: 'sandbox' })
})

test('max_tokens and stop sequences end an answer, with the reason', async () => {
  const cut = await ask({ messages: user('say 100 words'), max_tokens: 10 })
  assert.deepEqual([cut.stop_reason, cut.usage.output_tokens], ['max_tokens', 10])
  const messages = user('Stop at Zürich please')
  const stopped = await ask({ messages, stop_sequences: ['Zürich'] })
  assert.deepEqual([stopped.stop_reason, stopped.stop_sequence], ['stop_sequence', 'Zürich'])
  const none = await ask({ max_tokens: 0 })
  assert.deepEqual([none.content, none.usage.output_tokens], [[], 0])
})

test('signed thinking is accepted back, and refused from another server', async () => {
  const answer = await ask({ thinking: { type: 'adaptive', display: 'omitted' } })
  assert.ok(answer.content[0]?.type === 'thinking' && answer.content[0].thinking === '')
  const messages = [...user('hi'), { role: 'assistant', content: answer.content }, ...user('and now?')]
  assert.equal((await ask({ messages })).stop_reason, 'end_turn')
  const other = await startModels({ port: 0 })
  const elsewhere = new Anthropic({ apiKey: 'sandbox', baseURL: other.url, maxRetries: 0 })
  await assert.rejects(
    elsewhere.messages.create({ model: 'm', max_tokens: 9, messages: messages as MessageParam[] }),
    /messages\.1\.content\.0: Invalid `signature` in `thinking` block/
  )
  await other.close()
})

test('the web search is billed per call, and its results raise the input at the end of a stream', async () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }]
  const events = await stream({ model: 'm+searches=3', tools })
  const [start, delta] = [events[0], events.at(-2)]
  assert.ok(start?.type === 'message_start' && delta?.type === 'message_delta')
  assert.equal(delta.usage.server_tool_use?.web_search_requests, 2)
  assert.ok(delta.usage.input_tokens! > start.message.usage.input_tokens)
  const seen = models.requests().at(-1)!
  assert.equal(seen.promptTokens, delta.usage.input_tokens)
  assert.deepEqual(seen.toolCalls, { web_search: 2 })
})

test('input tokens are counted as the answer reports them', async () => {
  const body = { model: 'm', messages: user('Hello there'), system: 'Be brief', tools: [weather] }
  const counted = await anthropic.messages.countTokens(body)
  assert.equal(counted.input_tokens, (await ask(body)).usage.input_tokens)
})

test('models are listed in this API’s shape to clients that send its version', async () => {
  const ids: string[] = []
  for await (const model of anthropic.models.list({ limit: 2 })) ids.push(model.id)
  assert.deepEqual(ids, ['sandbox-small', 'sandbox-large', 'sandbox-embedding'])
  const model = await anthropic.models.retrieve('sandbox-large')
  assert.deepEqual([model.type, model.display_name], ['model', 'sandbox-large'])
})

t.end()
