import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import OpenAI from 'openai'
import t from 'tap'
import { outcomeOf, post } from '../testing/client.ts'
import { callsOf, type FakeUpstream, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { collectLogLines } from '../testing/log-lines.ts'
import { sumOf } from '../testing/read-metrics.ts'
import {
  answerWith,
  beginningOf,
  beginStream,
  deltaOf,
  eventOf,
  responseOf,
  responseUsage,
  streamOf
} from '../testing/responses-answers.ts'
import { catalogOf, type SeededKey, startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import { tokensInTransit } from '../tokens/tokens-in-transit.ts'

const { inputPicos, cachedInputPicos, outputPicos } = testCatalog.models.small!.prices
const catalog = catalogOf({
  small: [{ upstream: 'first' }, { upstream: 'second', priority: 1 }],
  renamed: [{ upstream: 'first', model: 'name-at-the-upstream' }],
  thinking: [{ upstream: 'first' }],
  blind: [{ upstream: 'first' }],
  exact: [{ upstream: 'first' }],
  elsewhere: [{ upstream: 'other' }]
})
for (const model of Object.values(catalog.models)) model.tokenizer = 'o200k_base'
Object.assign(catalog.models.exact!, { tokenizer: null, fewestOutputTokens: 1 })
catalog.models.thinking!.hidesOutput = true
delete catalog.models.blind!.images

const lines = collectLogLines()
let [upstream, second, gateway, seeded] = [] as unknown as [FakeUpstream, FakeUpstream, TestGateway, SeededKey]
t.before(async () => {
  upstream = await startFakeUpstream()
  second = await startFakeUpstream()
  const entry = (url: string, speaks: string) =>
    `{ base_url: '${url}/v1', credential_variable: TEST_CREDENTIAL, speaks: [${speaks}] }`
  const upstreamsFile = `upstreams: { first: ${entry(upstream.url, 'chat, responses')}, second: ${entry(second.url, 'responses')}, other: ${entry(second.url, 'chat')} }`
  gateway = await startGateway(upstream.url, { catalog, upstreamsFile, log: lines.log })
  seeded = await gateway.seedKey()
})
t.beforeEach(async () => {
  upstream.answer(answerWith(['Hello', ' world']))
  second.answer(answerWith(['Second']))
})
t.teardown(async () => {
  await gateway.close()
  await Promise.all([upstream.close(), second.close()])
})

const bodyOf = (members: object = {}) => ({
  model: 'small',
  input: 'Hello',
  max_output_tokens: 100,
  store: false,
  ...members
})
const ask = (members: object = {}, options: RequestInit = {}) =>
  post(gateway, seeded.secret, '/responses', bodyOf(members), options)
const lineOf = (response: Response) => lines.of(response.headers.get('x-request-id'))
const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: seeded.secret, maxRetries: 0 })
const nanos = (picos: number) => Math.ceil(picos / 1000)

t.test('a response passes unchanged and is charged its usage', async () => {
  const answer = JSON.stringify(
    responseOf('Hi', { usage: responseUsage(11, 7, 5), tools: [{ usage: { input_tokens: 1 } }] })
  )
  upstream.answer(({ response }) => void response.setHeader('content-type', 'application/json').end(answer))
  const response = await ask()
  assert.equal(await response.text(), answer)
  assert.equal(response.headers.get('x-tollgate-granted-output-tokens'), '100')
  assert.partialDeepStrictEqual(await lineOf(response), {
    ...{ status: 200, code: null, endpoint: '/v1/responses', promptTokens: 11, cachedTokens: 5, completionTokens: 7 },
    ...{ estimated: false, costNanos: nanos(6 * inputPicos + 5 * cachedInputPicos + 7 * outputPicos) }
  })
})

t.test('a stream passes unchanged and is charged its usage', async () => {
  const response = responseOf('Hello world', { tools: [{ usage: { input_tokens: 1, output_tokens: 1 } }] })
  const events = streamOf(response, ['Hello', ' world'])
  upstream.answer((received) => void beginStream(received).end(events))
  const answer = await ask({ stream: true })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(await answer.text(), events)
  assert.partialDeepStrictEqual(await lineOf(answer), { promptTokens: 11, completionTokens: 7, estimated: false })
})

t.test('the upstream gets the client’s bytes, its own name of the model, and the granted output', async () => {
  const members = `"input":[{"role":"user","content":"\\u00e9 x"}] ,"metadata":{"a":"1"},"temperature":1.0`
  await post(gateway, seeded.secret, '/responses', `{ "model": "renamed", ${members} }`)
  const { request, body } = upstream.received.at(-1)!
  assert.equal(request.url, '/v1/responses')
  assert.equal(body, `{"max_output_tokens":1000, "model": "name-at-the-upstream", ${members} }`)
  const limited = '{"model":"small","input":"x","max_output_tokens":16,"stream":false}'
  await post(gateway, seeded.secret, '/responses', limited)
  assert.equal(upstream.received.at(-1)!.body, limited)
})

t.test('the official SDK creates, streams and parses responses, and loops over tools', async () => {
  const openai = client()
  const created = await openai.responses.create({ model: 'small', input: 'Hello' })
  assert.equal(created.output_text, 'Hello world')
  let streamed = ''
  const types: string[] = []
  for await (const event of await openai.responses.create({ model: 'small', input: 'x', stream: true })) {
    types.push(event.type)
    if (event.type === 'response.output_text.delta') streamed += event.delta
  }
  assert.deepEqual([streamed, types[0], types.at(-1)], ['Hello world', 'response.created', 'response.completed'])
  const final = await openai.responses.stream({ model: 'small', input: 'x' }).finalResponse()
  assert.equal(final.usage?.output_tokens, 7)

  upstream.answer(answerWith(['{"sum":3}']))
  const format = { type: 'json_schema' as const, name: 'sum', schema: { type: 'object' }, strict: true }
  const parsed = await openai.responses.parse({ model: 'small', input: '1+2?', text: { format } })
  assert.deepEqual(parsed.output_parsed, { sum: 3 })

  const call = {
    id: 'fc_1',
    type: 'function_call',
    call_id: 'call_1',
    name: 'add',
    arguments: '{"a":1}',
    status: 'completed'
  }
  upstream.answer(answerWith([''], { output: [call] }))
  const tools = [{ type: 'function' as const, name: 'add', parameters: { type: 'object' }, strict: false }]
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: '1+2?' }]
  const first = await openai.responses.create({ model: 'small', input, tools })
  input.push(...(first.output as OpenAI.Responses.ResponseInput))
  input.push({ type: 'function_call_output', call_id: 'call_1', output: '3' })
  upstream.answer(answerWith(['3']))
  const last = await openai.responses.create({ model: 'small', input, tools })
  assert.equal(last.output_text, '3')
})

t.test('documented members that cost nothing more reach the upstream', async () => {
  const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' }
  const body = bodyOf({
    instructions: 'x'.repeat(10_000),
    input: [
      { role: 'developer', content: 'x' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }, image] },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'x', annotations: [], logprobs: [] }]
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }], encrypted_content: 'eA==' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', status: 'completed' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }, image] },
      { type: 'custom_tool_call', call_id: 'd', name: 'g', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'd', output: 'x' },
      {
        type: 'computer_call',
        call_id: 'e',
        action: { type: 'click' },
        pending_safety_checks: [],
        status: 'completed'
      },
      {
        type: 'computer_call_output',
        call_id: 'e',
        output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' }
      },
      { type: 'apply_patch_call', call_id: 'f', operation: { type: 'delete_file', path: 'x' }, status: 'completed' },
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'h', parameters: {} }] }
    ],
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: { properties: { type: {} } }, strict: true },
      { type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'd' } },
      { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'i', parameters: null }] },
      { type: 'local_shell' },
      { type: 'apply_patch' },
      { type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'mac' }
    ],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
    text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: true }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto', context: 'all_turns', mode: 'standard' },
    include: ['reasoning.encrypted_content'],
    stream_options: { include_obfuscation: false },
    prompt_cache_options: { mode: 'implicit', ttl: '30m' },
    ...{ background: false, conversation: null, truncation: 'auto', service_tier: 'auto', parallel_tool_calls: false },
    ...{ metadata: { a: 'b' }, user: 'u', safety_identifier: 's', prompt_cache_key: 'k', top_p: 1, max_tool_calls: 3 }
  })
  assert.equal(await outcomeOf(await ask(body)), '200')
  assert.deepEqual(JSON.parse(upstream.received.at(-1)!.body), body)
})

t.test('members without a price or a bound are refused with their names', async () => {
  const before = upstream.received.length
  for (const [members, code, name] of [
    [{ background: true }, 'unpriced_parameter', 'background'],
    [{ prompt: { id: 'pmpt_1' } }, 'unpriced_parameter', 'prompt'],
    [{ conversation: 'conv_1' }, 'unpriced_parameter', 'conversation'],
    [{ conversation: { id: 'conv_1' } }, 'unpriced_parameter', 'conversation'],
    [{ context_management: [{ type: 'compaction' }] }, 'unpriced_parameter', 'context_management'],
    [{ service_tier: 'priority' }, 'unpriced_parameter', 'service_tier'],
    [{ prompt_cache_retention: '24h' }, 'unpriced_parameter', 'prompt_cache_retention'],
    [{ prompt_cache_options: { ttl: '12h' } }, 'unpriced_parameter', 'prompt_cache_options'],
    [{ prompt_cache_options: { prewarm: true } }, 'unpriced_parameter', 'prompt_cache_options.prewarm'],
    [
      { prompt_cache_options: { comparison_response_id: 'resp_1' } },
      'unpriced_parameter',
      'prompt_cache_options.comparison_response_id'
    ],
    [{ prompt_cache_options: { ttl: '24h' } }, 'unpriced_parameter', 'prompt_cache_options.ttl'],
    [{ reasoning: { mode: 'pro' } }, 'unpriced_parameter', 'reasoning.mode'],
    [{ max_tokens: 5 }, 'unpriced_parameter', 'max_tokens'],
    [{ n: 2 }, 'unpriced_parameter', 'n'],
    [{ max_output_tokens: 15 }, 'invalid_request', 'max_output_tokens'],
    [{ generate: false }, 'invalid_request', 'generate'],
    [{ Background: true }, 'invalid_request', 'Background'],
    [{ tool_choice: { type: 'mcp' } }, 'unpriced_parameter', 'tool_choice.type'],
    [{ tool_choice: { type: 'web_search' } }, 'unpriced_parameter', 'tools'],
    [{ tools: [{ type: 'web_search' }] }, 'unpriced_parameter', 'tools'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'x' }] }] },
      'unpriced_parameter',
      'input[0].content[0].type'
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'x' }] }] },
      'unpriced_parameter',
      'input[0].content[0].file_id'
    ],
    ...[
      'web_search_preview',
      'file_search',
      'code_interpreter',
      'image_generation',
      'mcp',
      'shell',
      'tool_search',
      'programmatic_tool_calling'
    ].map((type) => [{ tools: [{ type }] }, 'unpriced_parameter', 'tools[0].type'] as const),
    [{ tools: [{ type: 'namespace', tools: [{ type: 'mcp' }] }] }, 'unpriced_parameter', 'tools[0].tools[0].type'],
    [{ tools: [{ type: 'function', name: 'f', server_url: 'x' }] }, 'invalid_request', 'tools[0].server_url'],
    ...['compaction', 'compaction_trigger', 'mcp_call', 'image_generation_call', 'configuration_update'].map(
      (type) => [{ input: [{ type }] }, 'unpriced_parameter', 'input[0].type'] as const
    ),
    [
      { input: [{ type: 'additional_tools', tools: [{ type: 'mcp' }] }] },
      'unpriced_parameter',
      'input[0].tools[0].type'
    ]
  ] as const) {
    const response = await ask(members)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.equal(`${response.status} ${error.code}`, `400 ${code}`, JSON.stringify(members))
    assert.ok(error.message.startsWith(name), `${error.message} names ${name}`)
  }
  const noModel = await post(gateway, seeded.secret, '/responses', { input: 'x' })
  assert.equal(await outcomeOf(noModel), '400 invalid_request')
  const image = { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://x.com/a.png' }] }] }
  assert.equal(await outcomeOf(await ask({ ...image, model: 'blind' })), '400 unpriced_parameter')
  assert.equal(await outcomeOf(await ask({ model: 'elsewhere' })), '400 wrong_endpoint')
  assert.equal(upstream.received.length, before)
})

/** What the body of a request without images reserves for its prompt. */
const promptTokensOf = (body: object) => Buffer.byteLength(JSON.stringify(body)) + 8

t.test('the cost of a prompt with images is reserved by the rule of the model', async () => {
  const image = { type: 'input_image', image_url: 'https://example.com/a.png' }
  for (const [detail, tokens] of [
    ['low', 85],
    ['high', 85 + 8 * 170]
  ] as const) {
    for (const part of [
      { ...image, detail },
      { detail, ...image }
    ]) {
      const input = [{ role: 'user', content: [part] }]
      const body = bodyOf({ model: 'exact', input, max_output_tokens: 20 })
      const bound = (promptTokensOf(body) + 8 + 4 + tokens) * inputPicos + 20 * outputPicos
      const enough = await gateway.seedKey({ key: { monthlyBudgetNanos: nanos(bound) } })
      const response = await post(gateway, enough.secret, '/responses', body)
      assert.equal(response.headers.get('x-tollgate-granted-output-tokens'), '20')
      const few = await gateway.seedKey({ key: { monthlyBudgetNanos: nanos(bound) - 1 } })
      const less = await post(gateway, few.secret, '/responses', body)
      assert.equal(less.headers.get('x-tollgate-granted-output-tokens'), '19')
    }
  }
})

t.test('a small budget grants fewer output tokens, but never fewer than the API accepts', async () => {
  const body = bodyOf({ model: 'exact', max_output_tokens: 500 })
  const prompt = promptTokensOf(body) * inputPicos
  for (const [tokens, expected] of [
    [40, '40'],
    [16, '16'],
    [15, null]
  ] as const) {
    const key = await gateway.seedKey({ key: { monthlyBudgetNanos: nanos(prompt + tokens * outputPicos) } })
    const response = await post(gateway, key.secret, '/responses', body)
    assert.equal(response.headers.get('x-tollgate-granted-output-tokens'), expected)
    if (expected === null) assert.equal(await outcomeOf(response), '402 key_budget_exceeded')
    else assert.equal(JSON.parse(upstream.received.at(-1)!.body).max_output_tokens, tokens)
  }
})

t.test('a cut stream ends with an error event, and is charged its words', async () => {
  const response = responseOf('x')
  upstream.answer((received) => {
    const stream = beginStream(received)
    stream.write(beginningOf(response) + deltaOf('one two') + deltaOf(' three'), () => stream.destroy())
  })
  const answer = await ask({ stream: true })
  const events = (await answer.text()).trim().split('\n\n')
  const [name, data] = events.at(-1)!.split('\n')
  assert.equal(name, 'event: error')
  assert.partialDeepStrictEqual(JSON.parse(data!.slice('data: '.length)), {
    ...{ type: 'error', code: 'upstream_error', param: null, sequence_number: events.length - 1 }
  })
  const line = await lineOf(answer)
  assert.partialDeepStrictEqual(line, { code: 'upstream_error', estimated: true })
  assert.equal(line.completionTokens, 3 + 3 + tokensInTransit)
  assert.ok(line.promptTokens >= 1 && line.promptTokens < 110)

  await assert.rejects(async () => {
    for await (const _event of await client().responses.create({ model: 'small', input: 'x', stream: true }));
  }, /provider failed/)

  const hidden = await ask({ stream: true, model: 'thinking' })
  await hidden.text()
  assert.partialDeepStrictEqual(await lineOf(hidden), { completionTokens: 100, estimated: true })
})

t.test('an error event of the provider ends the stream in the gateway’s words', async () => {
  const begun = beginningOf(responseOf('x'))
  const error = eventOf('error', { code: 'server_error', message: 'secret detail', param: null })
  upstream.answer((received) => void beginStream(received).end(begun + error))
  const answer = await ask({ stream: true })
  const text = await answer.text()
  assert.ok(text.startsWith(begun) && text.includes('"code":"upstream_error"') && !text.includes('secret detail'))
})

t.test('a response that failed is the provider’s answer, and costs nothing without words', async () => {
  const failed = { status: 'failed', error: { code: 'server_error', message: 'x' }, usage: null, output: [] }
  for (const [model, stream] of [
    ['small', true],
    ['small', false],
    ['thinking', true],
    ['thinking', false]
  ] as const) {
    upstream.answer(answerWith([], failed))
    const answer = await ask({ stream, model })
    assert.ok((await answer.text()).includes('"status":"failed"'))
    assert.partialDeepStrictEqual(await lineOf(answer), { status: 200, code: null, costNanos: 0 })
  }
  upstream.answer(answerWith([], { ...failed, usage: responseUsage(9, 3) }))
  assert.partialDeepStrictEqual(await lineOf(await ask()), { promptTokens: 9, completionTokens: 3, estimated: false })
})

t.test('an incomplete response is charged its usage', async () => {
  for (const stream of [true, false]) {
    upstream.answer(answerWith(['x'], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }))
    const answer = await ask({ stream })
    await answer.text()
    assert.partialDeepStrictEqual(await lineOf(answer), {
      code: null,
      promptTokens: 11,
      completionTokens: 7,
      estimated: false
    })
  }
})

t.test('a response without usage is charged its words, not the repeated request', async () => {
  for (const stream of [true, false]) {
    upstream.answer(answerWith(['one two three'], { usage: null, instructions: 'long '.repeat(500) }))
    const answer = await ask({ stream })
    await answer.text()
    const line = await lineOf(answer)
    assert.equal(line.estimated, true)
    assert.ok(line.completionTokens >= 3 && line.completionTokens < 20, `${line.completionTokens}`)
  }
})

t.test('another upstream answers if the first one fails', async () => {
  const error = eventOf('error', { code: 'server_error', message: 'x', param: null })
  for (const fail of [
    ({ response }: { response: ServerResponse }) => void response.writeHead(500).end(),
    (received: Received) => void beginStream(received).end(error),
    ({ response }: { response: ServerResponse }) => void response.destroy()
  ]) {
    gateway.upstreams.get('first')!.breaker.succeeded(false, performance.now())
    upstream.answer(fail)
    const answer = await ask({ stream: true })
    const text = await answer.text()
    assert.ok(text.includes('"delta":"Second"'))
    assert.partialDeepStrictEqual(await lineOf(answer), { status: 200, code: null, upstream: 'second', attempts: 2 })
  }
})

t.test('a refusal of the provider reaches the client', async () => {
  const refusal = {
    error: { message: 'Unknown parameter.', type: 'invalid_request_error', param: 'x', code: 'unknown_parameter' }
  }
  upstream.answer(({ response }) => void response.writeHead(400).end(JSON.stringify(refusal)))
  const response = await ask()
  assert.equal(response.status, 400)
  assert.partialDeepStrictEqual(await response.json(), refusal)
})

t.test('a stampede never spends more than the budget', async () => {
  const maxOutput = 50
  const body = bodyOf({ model: 'exact', max_output_tokens: maxOutput, stream: true })
  const bytes = promptTokensOf(body)
  const each = nanos(bytes * inputPicos + maxOutput * outputPicos)
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: 5 * each } })
  // The provider bills all that was reserved.
  upstream.answer(answerWith(['x'], { usage: responseUsage(bytes, maxOutput) }))
  const answers = await Promise.all(Array.from({ length: 40 }, () => post(gateway, key.secret, '/responses', body)))
  const outcomes = await Promise.all(answers.map(outcomeOf))
  assert.equal(outcomes.filter((outcome) => outcome === '200').length, 5)
  assert.ok(outcomes.every((outcome) => outcome === '200' || outcome === '402 key_budget_exceeded'))
  await gateway.settled()
  assert.equal(await gateway.aboveBound(), 0)
  assert.ok(callsOf(upstream.received).length > 0)
})

t.test('a client that leaves early is charged the words until then; after the last event, the usage', async () => {
  for (const [isDone, expected] of [
    [false, { completionTokens: 3 + 3 + tokensInTransit, estimated: true }],
    [true, { completionTokens: 7, estimated: false }]
  ] as const) {
    const response = responseOf('one two three')
    upstream.answer((received) => {
      const stream = beginStream(received)
      stream.write(isDone ? streamOf(response, ['one two three']) : beginningOf(response) + deltaOf('one two three'))
    })
    const leaving = new AbortController()
    const answer = await ask({ stream: true }, { signal: leaving.signal })
    const reader = answer.body!.getReader()
    let text = ''
    while (!text.includes(isDone ? 'response.completed' : 'one two three')) {
      const { value } = await reader.read()
      text += Buffer.from(value!).toString()
    }
    leaving.abort()
    await reader.read().catch(() => {})
    assert.partialDeepStrictEqual(await lineOf(answer), { ...expected, clientGone: true })
  }
})

t.test('metrics count responses by their endpoint, as chats of the model', async () => {
  await (await ask()).text()
  await gateway.settled()
  const metrics = await gateway.metrics()
  assert.match(metrics, /^tollgate_\S*\{[^}]*endpoint="\/v1\/responses"[^}]*model="small"[^}]*status="200"/m)
  assert.match(
    metrics,
    /^gen_ai_client_inference_usage_output_tokens_total\{gen_ai_operation_name="chat"[^}]*model="small"/m
  )
})

t.test('the service tier that served a response is found in its last event or body', async () => {
  const unpriced = async () => sumOf(await gateway.metrics(), 'tollgate_usage_unpriced_total', { model: 'small' })
  for (const stream of [false, true]) {
    upstream.answer(answerWith(['x'], { service_tier: 'priority' }))
    const before = await unpriced()
    await (await ask({ stream })).text()
    await gateway.settled()
    assert.equal(await unpriced(), before + 1, 'a tier without a price is counted')
    upstream.answer(answerWith(['x'], { service_tier: 'default' }))
    await (await ask({ stream })).text()
    await gateway.settled()
    assert.equal(await unpriced(), before + 1)
  }
})
