import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import type OpenAI from 'openai'
import t from 'tap'
import { post } from '../../testing/client.ts'
import type { Received } from '../../testing/fake-upstream.ts'
import { sumOf } from '../../testing/read-metrics.ts'
import {
  answerWith,
  beginStream,
  eventOf,
  responseOf,
  responseUsage,
  streamOf
} from '../../testing/responses-answers.ts'
import { testCatalog } from '../../testing/start-gateway.ts'
import { useResponses } from '../../testing/use-responses.ts'

const { inputPicos, cachedInputPicos, outputPicos } = testCatalog.models.small!.prices
const api = useResponses(t)
const { ask, client, lineOf } = api
const nanos = (picos: number) => Math.ceil(picos / 1000)

t.test('a response passes unchanged and is charged its usage', async () => {
  const answer = JSON.stringify(
    responseOf('Hi', { usage: responseUsage(11, 7, 5), tools: [{ usage: { input_tokens: 1 } }] })
  )
  api.upstream.answer(({ response }) => void response.setHeader('content-type', 'application/json').end(answer))
  const response = await ask()
  assert.equal(await response.text(), answer)
  assert.equal(response.headers.get('x-tollgate-granted-output-tokens'), '100')
  assert.partialDeepStrictEqual(await lineOf(response), {
    status: 200,
    code: null,
    endpoint: '/v1/responses',
    promptTokens: 11,
    cachedTokens: 5,
    completionTokens: 7,
    estimated: false,
    costNanos: nanos(6 * inputPicos + 5 * cachedInputPicos + 7 * outputPicos)
  })
})

t.test('a stream passes unchanged and is charged its usage', async () => {
  const response = responseOf('Hello world', { tools: [{ usage: { input_tokens: 1, output_tokens: 1 } }] })
  const events = streamOf(response, ['Hello', ' world'])
  api.upstream.answer((received) => void beginStream(received).end(events))
  const answer = await ask({ stream: true })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(await answer.text(), events)
  assert.partialDeepStrictEqual(await lineOf(answer), { promptTokens: 11, completionTokens: 7, estimated: false })
})

t.test('the upstream gets the client’s bytes, its own name of the model, and the granted output', async () => {
  const members = `"input":[{"role":"user","content":"\\u00e9 x"}] ,"metadata":{"a":"1"},"temperature":1.0`
  await post(api.gateway, api.seeded.secret, '/responses', `{ "model": "renamed", ${members} }`)
  const { request, body } = api.upstream.received.at(-1)!
  assert.equal(request.url, '/v1/responses')
  assert.equal(body, `{"max_output_tokens":1000, "model": "name-at-the-upstream", ${members} }`)
  const limited = '{"model":"small","input":"x","max_output_tokens":16,"stream":false}'
  await post(api.gateway, api.seeded.secret, '/responses', limited)
  assert.equal(api.upstream.received.at(-1)!.body, limited)
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

  api.upstream.answer(answerWith(['{"sum":3}']))
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
  api.upstream.answer(answerWith([''], { output: [call] }))
  const tools = [{ type: 'function' as const, name: 'add', parameters: { type: 'object' }, strict: false }]
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: '1+2?' }]
  const first = await openai.responses.create({ model: 'small', input, tools })
  input.push(...(first.output as OpenAI.Responses.ResponseInput))
  input.push({ type: 'function_call_output', call_id: 'call_1', output: '3' })
  api.upstream.answer(answerWith(['3']))
  const last = await openai.responses.create({ model: 'small', input, tools })
  assert.equal(last.output_text, '3')
})

t.test('another upstream answers if the first one fails', async () => {
  const error = eventOf('error', { code: 'server_error', message: 'x', param: null })
  for (const fail of [
    ({ response }: { response: ServerResponse }) => void response.writeHead(500).end(),
    (received: Received) => void beginStream(received).end(error),
    ({ response }: { response: ServerResponse }) => void response.destroy()
  ]) {
    api.gateway.upstreams.get('first')!.breaker.succeeded(false, performance.now())
    api.upstream.answer(fail)
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
  api.upstream.answer(({ response }) => void response.writeHead(400).end(JSON.stringify(refusal)))
  const response = await ask()
  assert.equal(response.status, 400)
  assert.partialDeepStrictEqual(await response.json(), refusal)
})

t.test('metrics count responses by their endpoint, as chats of the model', async () => {
  await (await ask()).text()
  await api.gateway.settled()
  const metrics = await api.gateway.metrics()
  assert.match(metrics, /^tollgate_\S*\{[^}]*endpoint="\/v1\/responses"[^}]*model="small"[^}]*status="200"/m)
  assert.match(
    metrics,
    /^gen_ai_client_inference_usage_output_tokens_total\{gen_ai_operation_name="chat"[^}]*model="small"/m
  )
})

t.test('the service tier that served a response is found in its last event or body', async () => {
  const unpriced = async () => sumOf(await api.gateway.metrics(), 'tollgate_usage_unpriced_total', { model: 'small' })
  for (const stream of [false, true]) {
    api.upstream.answer(answerWith(['x'], { service_tier: 'priority' }))
    const before = await unpriced()
    await (await ask({ stream })).text()
    await api.gateway.settled()
    assert.equal(await unpriced(), before + 1, 'a tier without a price is counted')
    api.upstream.answer(answerWith(['x'], { service_tier: 'default' }))
    await (await ask({ stream })).text()
    await api.gateway.settled()
    assert.equal(await unpriced(), before + 1)
  }
})
