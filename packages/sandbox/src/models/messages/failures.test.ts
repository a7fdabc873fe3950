import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import t, { test } from 'tap'
import { startModels } from '../start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const anthropic = new Anthropic({ apiKey: 'sandbox', baseURL: models.url, maxRetries: 0 })
const base = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'say 9 words' }] }

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error
  )
const send = (body: object, headers: Record<string, string> = {}, path = '/v1/messages') =>
  fetch(models.url + path, {
    method: 'POST',
    headers: { 'x-api-key': 'sandbox', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify({ ...base, ...body })
  })
const frames = async (model: string) => (await (await send({ model, stream: true })).text()).split('\n\n').slice(0, -1)

test('status answers with an error of this API, which the client maps to its class', async () => {
  for (const [status, kind, type] of [
    [400, Anthropic.BadRequestError, 'invalid_request_error'],
    [401, Anthropic.AuthenticationError, 'authentication_error'],
    [403, Anthropic.PermissionDeniedError, 'permission_error'],
    [404, Anthropic.NotFoundError, 'not_found_error'],
    [429, Anthropic.RateLimitError, 'rate_limit_error'],
    [500, Anthropic.InternalServerError, 'api_error'],
    [529, Anthropic.InternalServerError, 'overloaded_error']
  ] as const) {
    const failure = await failureOf(anthropic.messages.create({ ...base, model: `m+status=${status}` }))
    assert.ok(failure instanceof kind, `${status}`)
    const { error, request_id } = failure.error as { error: { type: string }; request_id: string }
    assert.equal(error.type, type)
    assert.equal(request_id, failure.requestID)
  }
})

test('error-after ends a stream with an error event, end-after without a last event', async () => {
  const failed = await frames('m+error-after=5')
  assert.equal(failed.length, 6)
  assert.match(failed.at(-1) ?? '', /^event: error\ndata: \{"type":"error","error":\{.*"type":"overloaded_error"/)
  const cut = await frames('m+end-after=5')
  assert.equal(cut.length, 5)
  assert.match(cut.at(-1) ?? '', /^event: content_block_delta/)
})

test('no-usage leaves usage out, and odd-usage reports bad token counts', async () => {
  assert.ok(!(await frames('m+no-usage')).some((frame) => frame.includes('"usage"')))
  const usageOf = async (kind: string) =>
    ((await (await send({ model: `m+odd-usage=${kind}` })).json()) as { usage: Record<string, unknown> }).usage
  assert.deepEqual(await usageOf('none'), {})
  assert.equal((await usageOf('text')).output_tokens, '9')
  assert.ok(!('output_tokens' in (await usageOf('missing'))))
})

test('the key is accepted in either header, and a request without it is refused', async () => {
  const bearer = await send({}, { 'x-api-key': 'sandbox', authorization: 'Bearer other' })
  assert.equal(bearer.status, 200)
  for (const headers of [
    { 'x-api-key': 'other', authorization: '' },
    { 'x-api-key': '', authorization: 'Bearer other' }
  ]) {
    const { status, body } = await sent(send({}, headers))
    assert.deepEqual([status, body.error.type], [401, 'authentication_error'])
  }
})

const sent = async (response: Promise<Response>) => {
  const { status } = await response
  return { status, body: (await (await response).json()) as { error: { type: string; message: string } } }
}

test('the version header is required and decides which members exist', async () => {
  const none = await fetch(`${models.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: 'Bearer sandbox' },
    body: JSON.stringify(base)
  })
  assert.equal(none.status, 400)
  assert.match(await none.text(), /anthropic-version: header is required/)
  assert.equal((await send({}, { 'anthropic-version': '2020-01-01' })).status, 400)
  assert.equal((await send({ temperature: 1 })).status, 200)
  const { status, body } = await sent(send({ temperature: 1 }, { 'anthropic-version': '2026-10-21' }))
  assert.deepEqual([status, body.error.message], [400, 'temperature: Extra inputs are not permitted'])
})

const call = { type: 'tool_use', id: 'toolu_1', name: 'n', input: {} }
for (const [name, body, message] of [
  ['an unknown member', { colour: 'red' }, 'colour: Extra inputs are not permitted'],
  ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['no messages', { messages: [] }, /^messages: Input must/],
  [
    'an unknown block',
    { messages: [{ role: 'user', content: [{ type: 'song' }] }] },
    /^messages\.0\.content\.0\.type: Input must be one of/
  ],
  [
    'a member that a block lacks',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', tone: 1 }] }] },
    'messages.0.content.0.tone: Extra inputs are not permitted'
  ],
  [
    'a tool that the sandbox lacks',
    { tools: [{ type: 'bash_20250124', name: 'bash' }] },
    /^tools\.0\.type: Input must be one of/
  ],
  [
    'a thinking budget above max_tokens',
    { thinking: { type: 'enabled', budget_tokens: 1024 } },
    /must be greater than/
  ],
  [
    'a result without its call',
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] }] },
    /^messages\.0\.content\.0: unexpected `tool_use_id`/
  ],
  [
    'a call without its result',
    { messages: [...base.messages, { role: 'assistant', content: [call] }, ...base.messages] },
    /^messages\.1: `tool_use` ids were found without `tool_result`/
  ],
  ['a choice of a missing tool', { tool_choice: { type: 'tool', name: 'n' } }, "Tool 'n' not found in provided tools"]
] as const) {
  test(`${name} is refused with 400 that names the member`, async () => {
    const answer = await sent(send(body))
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.type, 'invalid_request_error')
    if (typeof message === 'string') assert.equal(answer.body.error.message, message)
    else assert.match(answer.body.error.message, message)
  })
}

test('unknown paths and methods get errors in this API’s shape', async () => {
  const { status, body } = await sent(send({}, {}, '/v1/messages/batches'))
  assert.deepEqual([status, body.error.type], [404, 'not_found_error'])
})

t.end()
