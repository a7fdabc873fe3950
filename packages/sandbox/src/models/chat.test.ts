import assert from 'node:assert/strict'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import OpenAI from 'openai'
import t, { test } from 'tap'
import { startModels } from './start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
const chat = openai.chat.completions

async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}

const user = (content: string) => [{ role: 'user' as const, content }]
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] }, day: { type: 'integer' } },
      required: ['city', 'unit']
    }
  }
}

test('an answer has OpenAI’s shape and token counts', async () => {
  const answer = await chat.create({ model: 'sandbox-small', messages: user('Hello there') })
  const [choice] = answer.choices
  assert.match(answer.id, /^chatcmpl-\w{24}$/)
  assert.equal(answer.object, 'chat.completion')
  assert.equal(answer.model, 'sandbox-small')
  assert.equal(answer.system_fingerprint, 'fp_sandbox')
  assert.ok(Math.abs(answer.created - Date.now() / 1000) < 60)
  assert.equal(choice?.finish_reason, 'stop')
  assert.equal(choice?.logprobs, null)
  assert.equal(choice?.message.role, 'assistant')
  assert.equal(choice?.message.refusal, null)
  assert.match(choice?.message.content ?? '', /^You said "Hello there"\. \w/)
  const produced = countTokens(choice?.message.content ?? '')
  assert.deepEqual(answer.usage, {
    prompt_tokens: 9,
    completion_tokens: produced,
    total_tokens: 9 + produced,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0
    }
  })
})

test('equal requests get equal texts, streamed or not; other requests get other texts', async () => {
  const ask = async (text: string) =>
    (await chat.create({ model: 'any-name', messages: user(text) })).choices[0]?.message.content
  const first = await ask('What is a gateway? 🚪')
  assert.equal(await ask('What is a gateway? 🚪'), first)
  assert.notEqual(await ask('What is a gateway?'), first)
  const streamed = await chat.stream({ model: 'any-name', messages: user('What is a gateway? 🚪') }).finalContent()
  assert.equal(streamed, first)
})

test('a stream starts with the role, ends with the reason, and reports usage only on request', async () => {
  const chunks = await collect(
    await chat.create({ model: 'sandbox-small', messages: user('say 5 words'), stream: true })
  )
  assert.deepEqual(chunks[0]?.choices[0]?.delta, { role: 'assistant', content: '', refusal: null })
  assert.deepEqual(chunks.at(-1)?.choices, [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }])
  assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, 1)
  for (const chunk of chunks) {
    assert.equal(chunk.object, 'chat.completion.chunk')
    assert.ok(!('usage' in chunk))
  }
})

test('with include_usage, chunks have usage null, and a last chunk without choices has the totals', async () => {
  const request = { model: 'sandbox-small', messages: user('say 7 words'), n: 2 }
  const chunks = await collect(await chat.create({ ...request, stream: true, stream_options: { include_usage: true } }))
  const last = chunks.pop()
  for (const chunk of chunks) assert.equal(chunk.usage, null)
  assert.deepEqual(last?.choices, [])
  assert.deepEqual(last?.usage, (await chat.create(request)).usage)
  assert.equal(last?.usage?.completion_tokens, 14)
})

test('n choices have different texts and are streamed in turn', async () => {
  const request = { model: 'sandbox-small', messages: user('say 4 words'), n: 3 }
  const { choices } = await chat.create(request)
  assert.equal(new Set(choices.map((choice) => choice.message.content)).size, 3)
  const streamed = ['', '', '']
  const order: number[] = []
  for await (const chunk of await chat.create({ ...request, stream: true })) {
    for (const { index, delta } of chunk.choices) {
      streamed[index] += delta.content ?? ''
      order.push(index)
    }
  }
  assert.deepEqual(
    streamed,
    choices.map((choice) => choice.message.content)
  )
  assert.deepEqual(order.slice(0, 6), [0, 1, 2, 0, 1, 2])
})

for (const limit of ['max_tokens', 'max_completion_tokens'] as const) {
  test(`${limit} is exact to the token`, async () => {
    const answer = await chat.create({ model: 'sandbox-small', messages: user('say 50 words'), [limit]: 10 })
    assert.equal(answer.choices[0]?.finish_reason, 'length')
    assert.equal(answer.usage?.completion_tokens, 10)
    assert.equal(answer.choices[0]?.message.content?.split(' ').length, 10)
    const enough = await chat.create({ model: 'sandbox-small', messages: user('say 50 words'), [limit]: 50 })
    assert.equal(enough.choices[0]?.finish_reason, 'stop')
    const streamed = await collect(
      await chat.create({ model: 'sandbox-small', messages: user('say 50 words'), [limit]: 10, stream: true })
    )
    assert.equal(streamed.at(-1)?.choices[0]?.finish_reason, 'length')
  })
}

test('a text ends before a stop sequence', async () => {
  const all = (await chat.create({ model: 'm', messages: user('say 9 words') })).choices[0]?.message.content ?? ''
  const stop = all.split(' ')[4] ?? ''
  const answer = await chat.create({ model: 'm', messages: user('say 9 words'), stop: ['not in it', stop] })
  assert.equal(answer.choices[0]?.message.content, all.slice(0, all.indexOf(stop)))
  assert.equal(answer.choices[0]?.finish_reason, 'stop')
})

test('the answer to "say N words" has N words', async () => {
  for (const count of [1, 100, 20_000]) {
    const { choices } = await chat.create({ model: 'm', messages: user(`please SAY ${count} words about it`) })
    assert.equal(choices[0]?.message.content?.split(' ').length, count)
  }
})

test('each token has logprobs on request', async () => {
  const request = { model: 'm', messages: user('say 3 words'), logprobs: true, top_logprobs: 2 }
  const { choices, usage } = await chat.create(request)
  const content = choices[0]?.logprobs?.content ?? []
  assert.equal(content.length, usage?.completion_tokens)
  assert.equal(content.map(({ token }) => token).join(''), choices[0]?.message.content)
  for (const token of content) {
    assert.equal(Buffer.from(token.bytes ?? []).toString(), token.token)
    assert.equal(token.top_logprobs.length, 2)
    assert.equal(token.top_logprobs[0]?.token, token.token)
  }
  let streamed = 0
  for await (const chunk of await chat.create({ ...request, stream: true })) {
    streamed += chunk.choices[0]?.logprobs?.content?.length ?? 0
  }
  assert.equal(streamed, content.length)
})

test('a tool named in the message is called with arguments that match its schema', async () => {
  const answer = await chat.create({ model: 'm', messages: user('use get_weather please'), tools: [weather] })
  const [choice] = answer.choices
  assert.equal(choice?.finish_reason, 'tool_calls')
  assert.equal(choice?.message.content, null)
  const [call] = choice?.message.tool_calls ?? []
  assert.ok(call?.type === 'function')
  assert.match(call.id, /^call_\w{24}$/)
  assert.equal(call.function.name, 'get_weather')
  assert.deepEqual(JSON.parse(call.function.arguments), { city: 'sandbox', unit: 'c' })
  const tokens = countTokens('get_weather') + countTokens(call.function.arguments)
  assert.equal(answer.usage?.completion_tokens, tokens)
})

test('tool_choice and parallel_tool_calls decide which tools are called', async () => {
  const other = { type: 'function' as const, function: { name: 'other_tool' } }
  const tools = [weather, other]
  const called = async (content: string, more: Partial<Parameters<typeof chat.create>[0]>) => {
    const answer = await chat.create({ model: 'm', messages: user(content), tools, ...more, stream: false })
    return answer.choices[0]?.message.tool_calls?.map((call) => (call.type === 'function' ? call.function.name : '?'))
  }
  const both = 'get_weather and other_tool'
  const named = (name: string) => ({ type: 'function' as const, function: { name } })
  assert.deepEqual(await called(both, {}), ['get_weather', 'other_tool'])
  assert.deepEqual(await called(both, { parallel_tool_calls: false }), ['get_weather'])
  assert.equal(await called(both, { tool_choice: 'none' }), undefined)
  assert.equal(await called('hello', { tool_choice: 'auto' }), undefined)
  assert.deepEqual(await called('hello', { tool_choice: 'required' }), ['get_weather'])
  assert.deepEqual(await called('hello', { tool_choice: named('other_tool') }), ['other_tool'])
  const allowed = (mode: 'auto' | 'required') => {
    const only = [{ ...named('other_tool') }]
    return { tool_choice: { type: 'allowed_tools' as const, allowed_tools: { mode, tools: only } } }
  }
  assert.deepEqual(await called(both, allowed('auto')), ['other_tool'])
  assert.equal(await called('get_weather', allowed('auto')), undefined)
  assert.deepEqual(await called('hello', allowed('required')), ['other_tool'])
})

test('a custom tool is called with an input', async () => {
  const tools = [{ type: 'custom' as const, custom: { name: 'shell' } }]
  const answer = await chat.create({ model: 'm', messages: user('run shell'), tools })
  const [call] = answer.choices[0]?.message.tool_calls ?? []
  assert.ok(call?.type === 'custom')
  assert.deepEqual(call.custom, { name: 'shell', input: 'sandbox' })
})

test('tool calls are streamed name first, then arguments in fragments, which the stream helper joins', async () => {
  const request = { model: 'm', messages: user('get_weather twice'), tools: [weather], stream: true as const }
  const deltas = (await collect(await chat.create(request))).flatMap(
    (chunk) => chunk.choices[0]?.delta.tool_calls ?? []
  )
  const [first, ...rest] = deltas
  assert.equal(first?.index, 0)
  assert.equal(first?.type, 'function')
  assert.deepEqual(first?.function, { name: 'get_weather', arguments: '' })
  assert.ok(rest.length > 1)
  for (const delta of rest) assert.deepEqual(Object.keys(delta), ['index', 'function'])
  const joined = await chat.stream({ model: 'm', messages: user('get_weather twice'), tools: [weather] }).finalMessage()
  const [call] = joined.tool_calls ?? []
  assert.ok(call?.type === 'function')
  assert.deepEqual(JSON.parse(call.function.arguments), { city: 'sandbox', unit: 'c' })
})

test('the client’s tool runner gets an answer about the result', async () => {
  const asked: unknown[] = []
  const tool = {
    type: 'function' as const,
    function: {
      ...weather.function,
      description: 'The weather of a city',
      parse: (text: string): unknown => JSON.parse(text),
      function: (args: unknown) => {
        asked.push(args)
        return 'sunny, 21 degrees'
      }
    }
  }
  for (const stream of [false, true] as const) {
    const messages = user('What does get_weather say?')
    const runner = stream
      ? chat.runTools({ model: 'm', messages, tools: [tool], stream })
      : chat.runTools({ model: 'm', messages, tools: [tool] })
    assert.match((await runner.finalContent()) ?? '', /^The tool answered "sunny, 21 degrees"\./)
  }
  assert.deepEqual(asked, [
    { city: 'sandbox', unit: 'c' },
    { city: 'sandbox', unit: 'c' }
  ])
})

test('arguments cut off by the limit end with the reason length', async () => {
  const request = { model: 'm', messages: user('get_weather'), tools: [weather] }
  const answer = await chat.create({ ...request, max_tokens: 5 })
  assert.equal(answer.choices[0]?.finish_reason, 'length')
  assert.equal(answer.usage?.completion_tokens, 5)
  const tiny = await chat.create({ ...request, max_tokens: 1 })
  assert.equal(tiny.choices[0]?.message.tool_calls, undefined)
  assert.equal(tiny.usage?.completion_tokens, 0)
})

test('JSON response formats get JSON', async () => {
  const object = await chat.create({ model: 'm', messages: user('hi'), response_format: { type: 'json_object' } })
  assert.equal(typeof JSON.parse(object.choices[0]?.message.content ?? '').reply, 'string')
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 }, note: { type: 'string' } },
    required: ['name', 'age']
  }
  const answer = await chat.parse({
    model: 'm',
    messages: user('hi'),
    response_format: { type: 'json_schema', json_schema: { name: 'person', schema } }
  })
  assert.deepEqual(JSON.parse(answer.choices[0]?.message.content ?? ''), { name: 'sandbox', age: 18 })
})

test('the model name decides cached, reasoning and reported tokens', async () => {
  const messages = user('say 3 words')
  const thinking = await chat.create({ model: 'm+cached-tokens=4+reasoning-tokens=20', messages })
  assert.equal(thinking.usage?.prompt_tokens_details?.cached_tokens, 4)
  assert.equal(thinking.usage?.completion_tokens, 23)
  assert.equal(thinking.usage?.completion_tokens_details?.reasoning_tokens, 20)
  const cut = await chat.create({ model: 'm+reasoning-tokens=20', messages, max_completion_tokens: 8 })
  assert.equal(cut.usage?.completion_tokens, 8)
  assert.equal(cut.choices[0]?.message.content, '')
  assert.equal(cut.choices[0]?.finish_reason, 'length')
  const most = await chat.create({ model: 'm+cached-tokens=1000', messages })
  assert.equal(most.usage?.prompt_tokens_details?.cached_tokens, most.usage?.prompt_tokens)
  const wrong = await chat.create({ model: 'm+report-tokens=99999', messages })
  assert.equal(wrong.usage?.completion_tokens, 99_999)
  assert.equal(wrong.usage?.total_tokens, (wrong.usage?.prompt_tokens ?? 0) + 99_999)
  const none = await chat.create({ model: 'm+no-usage', messages })
  assert.equal(none.usage, undefined)
})

t.end()
