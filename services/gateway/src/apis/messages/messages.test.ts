import assert from 'node:assert/strict'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import t from 'tap'
import { post } from '../../testing/client.ts'
import { callsOf, type FakeUpstream } from '../../testing/fake-upstream.ts'
import {
  answerMessage,
  eventOf,
  messageAnswer,
  messageOf,
  messageStream,
  messageUsage,
  postMessage,
  startMessages
} from '../../testing/message-answers.ts'
import { type TestGateway, testCatalog } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'

const { inputPicos, outputPicos } = testCatalog.models.small!.prices
const month = () => Number(new Date().toISOString().slice(0, 7).replace('-', ''))

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  const started = await startMessages()
  ;({ upstream, gateway } = started)
  t.teardown(started.close)
})
t.beforeEach(() => {
  upstream.received.length = 0
  upstream.answer(answerMessage)
})

const clientOf = ({ secret }: SeededKey): Anthropic =>
  new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 })
const hello: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'small',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }]
}

async function spentOf({ account }: SeededKey): Promise<{ settled: number; reserved: number } | null> {
  await gateway.settled()
  return readSpend(gateway.control, account, month())
}
const costOf = ({ input_tokens: input, output_tokens: output }: typeof messageUsage) =>
  (input * inputPicos + output * outputPicos) / 1000

t.test("Anthropic's SDK gets messages, whole and streamed, and pays what they report", async () => {
  const key = await gateway.seedKey()
  const client = clientOf(key)
  const { data: whole, response } = await client.messages.create(hello).withResponse()
  assert.deepEqual(whole.content, [{ type: 'text', text: 'Hello world' }])
  assert.equal(response.headers.get('request-id'), response.headers.get('x-request-id'))
  assert.equal(response.headers.get('x-tollgate-granted-output-tokens'), '100')
  assert.equal((await spentOf(key))?.settled, costOf(messageUsage))
  const streamed = await client.messages.stream(hello).finalMessage()
  assert.partialDeepStrictEqual(streamed, { content: [{ type: 'text', text: 'Hello world' }], usage: messageUsage })
  assert.partialDeepStrictEqual(await spentOf(key), { settled: 2 * costOf(messageUsage), reserved: 0 })
})

t.test('the tool runner of the SDK continues without a thread, and runs to its end', async () => {
  const key = await gateway.seedKey()
  upstream.answer(({ response, body }) => {
    const isFirst = !body.includes('tool_result')
    response.setHeader('content-type', 'application/json')
    const content = isFirst
      ? [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }]
      : [{ type: 'text', text: 'It rains.' }]
    const stop_reason = isFirst ? 'tool_use' : 'end_turn'
    response.end(
      JSON.stringify({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content,
        stop_reason,
        usage: messageUsage
      })
    )
  })
  const runner = clientOf(key).beta.messages.toolRunner({
    ...hello,
    tools: [
      {
        name: 'weather',
        input_schema: { type: 'object', properties: { city: { type: 'string' } } },
        run: () => 'rain',
        parse: (input: unknown) => input
      }
    ]
  })
  const last = await runner
  assert.deepEqual(last.content, [{ type: 'text', text: 'It rains.' }])
  assert.equal(callsOf(upstream.received).length, 2)
})

t.test('the bytes of requests, answers and streams pass unchanged', async () => {
  const { secret } = await gateway.seedKey()
  const body =
    '{ "model":"small", "max_tokens":100,"system":[{"type":"text","text":"\\u0053"}],"metadata":{"user_id":"u"}, "temperature":0.50,' +
    '"messages":[{"role":"user","content":[{"type":"text","text":"Hello"}]}]}'
  const whole = await postMessage(gateway, secret, body, {
    headers: { 'anthropic-beta': 'effort-2025-11-24, claude-code-20250219' }
  })
  assert.equal(await whole.text(), messageAnswer)
  const [first] = callsOf(upstream.received)
  assert.equal(first!.body, body)
  assert.partialDeepStrictEqual(first!.request.headers, {
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'effort-2025-11-24, claude-code-20250219',
    'x-api-key': 'upstream-credential'
  })
  assert.equal(first!.request.headers.authorization, undefined)
  const stream = await postMessage(gateway, secret, messageOf('small', { stream: true }), { path: '?beta=true' })
  assert.match(stream.headers.get('content-type')!, /^text\/event-stream/)
  assert.equal(await stream.text(), messageStream)
})

t.test('a key is read from x-api-key and from the bearer token, and the bearer token counts', async () => {
  const { secret } = await gateway.seedKey()
  const outcome = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
      body: JSON.stringify(hello)
    })
    const { error } = (await response.json()) as { error?: { type: string; details: { error_code: string } } }
    return error === undefined ? response.status : `${response.status} ${error.type} ${error.details.error_code}`
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  assert.equal(await outcome({ 'x-api-key': secret }), 200)
  assert.equal(await outcome(bearer(secret)), 200)
  assert.equal(await outcome({ 'x-api-key': 'sk-ant-other', ...bearer(secret) }), 200)
  assert.equal(
    await outcome({ 'x-api-key': secret, ...bearer('tg_nonsense') }),
    '401 authentication_error invalid_api_key'
  )
  assert.equal(await outcome({ 'x-api-key': 'tg_nonsense' }), '401 authentication_error invalid_api_key')
  assert.equal(await outcome({ 'x-api-key': 'two words' }), '401 authentication_error missing_api_key')
  assert.equal(await outcome({}), '401 authentication_error missing_api_key')
  const chat = await post(gateway, null, '/chat/completions', hello, {
    headers: { 'content-type': 'application/json', 'x-api-key': secret }
  })
  assert.equal(chat.status, 401, 'other endpoints do not read x-api-key')
})

t.test('errors have the shape of the API, with the right class in the SDK, before and within a stream', async () => {
  const key = await gateway.seedKey()
  const poor = await gateway.seedKey({ key: { monthlyBudgetNanos: 1 } })
  const failureOf = async (seeded: SeededKey, members: object): Promise<APIError> => {
    try {
      await clientOf(seeded).messages.create({ ...hello, ...members } as Anthropic.MessageCreateParamsNonStreaming)
    } catch (error) {
      if (error instanceof APIError) return error
      throw error
    }
    throw new Error('it succeeded')
  }
  const budget = await failureOf(poor, {})
  assert.equal(budget.status, 402)
  assert.partialDeepStrictEqual(budget.error, {
    type: 'error',
    error: { type: 'billing_error', details: { error_code: 'key_budget_exceeded', scope: 'key' } },
    request_id: budget.requestID
  })
  assert.equal(budget.headers!.get('x-should-retry'), 'false')
  assert.partialDeepStrictEqual((await failureOf(key, { model: 'none' })).error, {
    error: { type: 'permission_error', details: { error_code: 'model_not_allowed' } }
  })
  upstream.answer(({ response }) => response.writeHead(529, { 'content-type': 'application/json' }).end('{}'))
  assert.partialDeepStrictEqual((await failureOf(key, {})).error, {
    error: { type: 'api_error', details: { error_code: 'upstream_error' } }
  })
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    response.end(messageStream.slice(0, messageStream.indexOf('event: content_block_stop')))
  })
  const cut = await (await postMessage(gateway, key.secret, messageOf('small', { stream: true }))).text()
  assert.match(
    cut,
    /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"[^"]+","details":\{"error_code":"upstream_error"\}\}\}\n\n$/
  )
  const stream = clientOf(key).messages.stream(hello)
  await assert.rejects(stream.finalMessage(), APIError)
})

t.test("a provider's refusal keeps its words, its type and its members", async () => {
  const key = await gateway.seedKey()
  const refused = (error: unknown, status = 400) =>
    upstream.answer(({ response }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error))
    )
  const message = 'prompt is too long: 208310 tokens > 200000 maximum'
  const ask = async () => {
    const response = await postMessage(gateway, key.secret, hello)
    return { status: response.status, body: await response.json(), id: response.headers.get('request-id') }
  }
  refused({
    type: 'error',
    error: { type: 'invalid_request_error', message, details: { a: 1 } },
    request_id: 'req_theirs'
  })
  const { status, body, id } = await ask()
  assert.equal(status, 400)
  const error = { type: 'invalid_request_error', message, details: { a: 1 } }
  assert.deepEqual(body, { type: 'error', error, request_id: id })
  refused({ error: { message: 'no such file', code: 'not_found', type: null } }, 404)
  assert.partialDeepStrictEqual(await ask(), {
    status: 404,
    body: { error: { type: 'not_found_error', message: 'no such file' } }
  })
  refused({ type: 'error', error: { type: 'invalid_request_error', message: 'key upstream-credential' } })
  assert.doesNotMatch(JSON.stringify(await ask()), /upstream-credential/)
})

t.test('a stream that reports an error before its first event is asked of the upstream again', async () => {
  const key = await gateway.seedKey()
  let calls = 0
  upstream.answer((received) => {
    if (calls++ > 0) {
      answerMessage(received)
      return
    }
    received.response.setHeader('content-type', 'text/event-stream')
    received.response.end(eventOf({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }))
  })
  const answer = await postMessage(gateway, key.secret, messageOf('small', { stream: true }))
  assert.equal(await answer.text(), messageStream)
  assert.equal(calls, 2)
  assert.equal((await spentOf(key))?.settled, costOf(messageUsage))
})
