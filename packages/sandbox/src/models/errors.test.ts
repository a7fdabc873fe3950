import assert from 'node:assert/strict'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import OpenAI from 'openai'
import type { ErrorObject } from 'openai/resources/shared'
import t, { test } from 'tap'
import { PortTakenError } from '../port-taken-error.ts'
import { startModels } from './start-models.ts'

const models = await startModels({ port: 0, apiKey: 'the key' })
t.after(() => models.close())

const headers = { authorization: 'Bearer the key', 'content-type': 'application/json' }
async function post(body: string | object, path = '/v1/chat/completions', more: RequestInit = {}) {
  const response = await fetch(models.url + path, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more
  })
  const { error } = (await response.json()) as { error: ErrorObject }
  return { status: response.status, error }
}

test('a request without the key is refused, and the answer does not repeat its credential', async () => {
  const wrong = new OpenAI({ apiKey: 'sk-other', baseURL: models.baseUrl, maxRetries: 0 })
  const failure = await wrong.models.list().then(
    () => null,
    (error: unknown) => error
  )
  assert.ok(failure instanceof OpenAI.AuthenticationError)
  assert.equal(failure.code, 'invalid_api_key')
  assert.equal(failure.type, 'invalid_request_error')
  assert.ok(!JSON.stringify(failure.error).includes('sk-other'))
  const none = await fetch(`${models.baseUrl}/models`)
  assert.equal(none.status, 401)
})

test('models can be listed and read by name', async () => {
  const openai = new OpenAI({ apiKey: 'the key', baseURL: models.baseUrl, maxRetries: 0 })
  const ids: string[] = []
  for await (const model of openai.models.list()) ids.push(model.id)
  assert.deepEqual(ids, ['sandbox-small', 'sandbox-large', 'sandbox-embedding'])
  assert.deepEqual(await openai.models.retrieve('sandbox-large'), {
    id: 'sandbox-large',
    object: 'model',
    created: Date.UTC(2026, 0, 1) / 1000,
    owned_by: 'sandbox'
  })
  assert.equal((await openai.models.retrieve('meta/llama-4')).id, 'meta/llama-4')
})

test('a strict server accepts only the listed models', async () => {
  const strict = await startModels({ port: 0, strict: true })
  const openai = new OpenAI({ apiKey: 'sandbox', baseURL: strict.baseUrl, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'hi' }]
  await openai.chat.completions.create({ model: 'sandbox-small+report-tokens=1', messages })
  for (const call of [
    () => openai.chat.completions.create({ model: 'gpt-4o', messages }),
    () => openai.models.retrieve('gpt-4o')
  ]) {
    const failure = await call().then(
      () => null,
      (error: unknown) => error
    )
    assert.ok(failure instanceof OpenAI.NotFoundError)
    assert.equal(failure.code, 'model_not_found')
  }
  await strict.close()
})

const message = { role: 'user', content: 'hi' }
for (const [name, body, param, code] of [
  ['no JSON', '{"model":', null, null],
  ['an empty body', '', null, null],
  ['no object', '[]', null, null],
  ['no messages', { model: 'm' }, 'messages', 'missing_required_parameter'],
  ['no model', { messages: [message] }, 'model', 'missing_required_parameter'],
  ['empty messages', { model: 'm', messages: [] }, 'messages', 'invalid_value'],
  ['an unknown role', { model: 'm', messages: [{ ...message, role: 'robot' }] }, 'messages.0.role', 'invalid_value'],
  ['a number as text', { model: 'm', messages: [{ role: 'user', content: 5 }] }, 'messages.0.content', 'invalid_value'],
  ['a limit of 0', { model: 'm', messages: [message], max_tokens: 0 }, 'max_tokens', 'invalid_value'],
  ['129 choices', { model: 'm', messages: [message], n: 129 }, 'n', 'invalid_value'],
  ['both limits', { model: 'm', messages: [message], max_tokens: 5, max_completion_tokens: 5 }, 'max_tokens', null],
  ['a bad directive', { model: 'm+hangs', messages: [message] }, 'model', 'invalid_value']
] as const) {
  test(`${name} is refused with 400 that names the member`, async () => {
    const answer = await post(body)
    assert.equal(answer.status, 400)
    assert.equal(answer.error.type, 'invalid_request_error')
    assert.equal(answer.error.param, param)
    assert.equal(answer.error.code, code)
    assert.ok(answer.error.message.length > 10)
  })
}

test('unknown members, nulls and numbers above 2^53 are accepted', async () => {
  const body =
    '{"model":"m","messages":[{"role":"user","content":"hi"}],"seed":9007199254740993,"x":{"y":1},"stop":null,"n":null,"tools":null}'
  assert.equal((await post(body)).status, 200)
  assert.equal(models.body(models.requests().at(-1)?.id ?? '')?.toString(), body)
})

test('unknown paths and methods get errors in the same shape', async () => {
  assert.equal((await post({}, '/v1/audio/speech')).status, 404)
  assert.equal((await post({}, '/nothing')).status, 404)
  assert.equal((await post({}, '/v1/models')).status, 405)
  const { status, error } = await post({}, '/v1/chat/completions', { method: 'PUT' })
  assert.equal(status, 405)
  assert.equal(error.type, 'invalid_request_error')
})

test('a body over 32 MiB is refused, and one of 31 MiB is recorded byte for byte', async () => {
  const big = (bytes: number) => Buffer.from(JSON.stringify({ model: 'm', input: 'hi', extra: ' '.repeat(bytes) }))
  const body = big(31 * 2 ** 20)
  const accepted = await fetch(`${models.baseUrl}/embeddings`, { method: 'POST', headers, body })
  assert.equal(accepted.status, 200)
  await accepted.body?.cancel()
  assert.ok(models.body(accepted.headers.get('x-request-id') ?? '')?.equals(body))

  const socket = createConnection({ host: '127.0.0.1', port: models.port })
  const length = 40 * 2 ** 20
  socket.write(
    `POST /v1/embeddings HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer the key\r\ncontent-length: ${length}\r\n\r\n`
  )
  socket.write(Buffer.alloc(33 * 2 ** 20, ' '))
  const answer = await text(socket)
  assert.match(answer, /^HTTP\/1\.1 413 /)
  assert.match(answer, /connection: close/i)
})

test('the error about a taken port names it', async () => {
  await assert.rejects(startModels({ port: models.port }), (error) => {
    return error instanceof PortTakenError && error.port === models.port
  })
})

t.end()
