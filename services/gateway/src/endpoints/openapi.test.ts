import assert from 'node:assert/strict'
import { operationsOf } from '@tollgate/contracts/openapi/document.ts'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import { startModels } from '@tollgate/sandbox/models/start-models.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { test } from 'tap'
import { messageOf, startMessages } from '../testing/message-answers.ts'
import { startGateway } from '../testing/start-gateway.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ ...inferenceDocument }, 'https://document.test/')

test('the gateway matches its document', async (t) => {
  const upstream = await startModels({ port: 0, apiKey: 'upstream-credential' })
  const gateway = await startGateway(upstream.url, { idempotencyMemoryMb: 256 })
  t.after(async () => {
    await gateway.close()
    await upstream.close()
  })
  const key = await gateway.seedKey()
  const poor = await gateway.seedKey({ key: { monthlyBudgetNanos: 0 } })
  const rare = await gateway.seedKey({ key: { requestsPerMinute: 1 } })
  const suspended = await gateway.seedKey({ account: { status: 'suspended' } })
  const paused = await gateway.seedKey({ key: { status: 'paused' } })
  const revoked = await gateway.seedKey({ key: { status: 'revoked' } })
  const expired = await gateway.seedKey({ key: { expiresAt: 1 } })

  await t.test('it has exactly the routes of the gateway', async () => {
    const described = operationsOf(inferenceDocument).map(({ method, path }) => `${method} ${path}`)
    const registered = [...gateway.routes].map((route) => route.replace(/\*$/, '{model}').replace(':id', '{id}'))
    assert.deepEqual(described.sort(), registered.sort())
  })

  await t.test('it is served without a key', async () => {
    const answer = await fetch(`${gateway.url}/v1/openapi.json`)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type')!, /^application\/json/)
    assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(inferenceDocument)))
  })

  /** Makes a request, and compares the answer with the document. @returns the status, and the code of a failure */
  async function ask(
    [method, path]: readonly ['post' | 'get', string],
    {
      secret = key.secret,
      body,
      url = path,
      repeatKey
    }: { secret?: string | null; body?: unknown; url?: string; repeatKey?: string } = {}
  ): Promise<string> {
    const answer = await fetch(gateway.url + url, {
      method,
      headers: {
        ...(secret !== null && { authorization: `Bearer ${secret}` }),
        ...(repeatKey !== undefined && { 'idempotency-key': repeatKey }),
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    const response = inferenceDocument.paths[path]![method]!.responses[answer.status]
    assert.ok(response !== undefined, `${method} ${path}: ${answer.status} is not in the document`)
    const described = Object.keys(response.headers ?? {})
    const isReplay = answer.headers.has('idempotency-replayed')
    if (isReplay)
      assert.ok(described.includes('idempotency-replayed') && described.includes('x-tollgate-original-request-id'))
    const type = answer.headers.get('content-type')!.split(';')[0]!
    assert.ok(type in response.content!, `${method} ${path} ${answer.status}: ${type}`)
    const text = await answer.text()
    if (type !== 'application/json') return String(answer.status)
    const place = ['paths', path, method, 'responses', answer.status, 'content', type, 'schema']
      .map((name) => encodeURIComponent(String(name).replaceAll('/', '~1')))
      .join('/')
    const check = ajv.getSchema(`https://document.test/#/${place}`)!
    const found = JSON.parse(text) as { error?: { code: string } }
    assert.ok(check(found), `${method} ${path} ${answer.status}: ${ajv.errorsText(check.errors)}\n${text}`)
    return [answer.status, found.error?.code].filter((part) => part !== undefined).join(' ')
  }

  const chat = ['post', '/v1/chat/completions'] as const
  const completion = ['post', '/v1/completions'] as const
  const embedding = ['post', '/v1/embeddings'] as const
  const list = ['get', '/v1/models'] as const
  const one = ['get', '/v1/models/{model}'] as const
  const messages = [{ role: 'user', content: 'Hello' }]

  await t.test('every success matches it', async () => {
    assert.equal(await ask(chat, { body: { model: 'small', messages } }), '200')
    assert.equal(await ask(chat, { body: { model: 'small', messages, stream: true } }), '200')
    assert.equal(await ask(completion, { body: { model: 'writer', prompt: 'Once' } }), '200')
    assert.equal(await ask(completion, { body: { model: 'writer', prompt: 'Once', stream: true } }), '200')
    for (const encoding_format of ['float', 'base64']) {
      assert.equal(await ask(embedding, { body: { model: 'embedder', input: ['a', 'b'], encoding_format } }), '200')
    }
    for (const n of [1, 2]) {
      assert.equal(await ask(chat, { body: { model: 'small', messages, n }, repeatKey: `key ${n}` }), '200')
      assert.equal(await ask(chat, { body: { model: 'small', messages, n }, repeatKey: `key ${n}` }), '200')
    }
    assert.equal(await ask(list), '200')
    assert.equal(await ask(one, { url: '/v1/models/small' }), '200')
  })

  await t.test('every failure matches it', async () => {
    for (const [operation, body] of [
      [chat, { model: 'small', messages }],
      [completion, { model: 'writer', prompt: 'x' }],
      [embedding, { model: 'embedder', input: 'x' }],
      [list, undefined],
      [one, undefined]
    ] as const) {
      const url = operation[1].replace('{model}', 'small')
      assert.equal(await ask(operation, { body, url, secret: null }), '401 missing_api_key')
      assert.equal(await ask(operation, { body, url, secret: 'tg_nonsense' }), '401 invalid_api_key')
      assert.equal(await ask(operation, { body, url, secret: revoked.secret }), '401 revoked_api_key')
      assert.equal(await ask(operation, { body, url, secret: expired.secret }), '401 expired_api_key')
      assert.equal(await ask(operation, { body, url, secret: suspended.secret }), '403 account_suspended')
      assert.equal(await ask(operation, { body, url, secret: paused.secret }), '403 paused_api_key')
    }
    assert.equal(await ask(chat, { body: '{' }), '400 invalid_json')
    const used = { body: { model: 'small', messages, n: 3 }, repeatKey: 'key 1' }
    assert.equal(await ask(chat, used), '409 idempotency_key_reused')
    assert.equal(await ask(chat, { ...used, repeatKey: 'x'.repeat(256) }), '400 invalid_request')
    assert.equal(await ask(chat, { body: { model: 'small' } }), '400 invalid_request')
    assert.equal(await ask(chat, { body: { model: 'none', messages } }), '403 model_not_allowed')
    assert.equal(await ask(completion, { body: { model: 'small', prompt: 'x' } }), '403 model_not_allowed')
    assert.equal(await ask(embedding, { body: { model: 'embedder' } }), '400 invalid_request')
    assert.equal(await ask(one, { url: '/v1/models/none' }), '403 model_not_allowed')
    assert.equal(
      await ask(chat, { body: { model: 'small', messages, service_tier: 'priority' } }),
      '400 unpriced_parameter'
    )
    for (const [operation, body] of [
      [chat, { model: 'small', messages }],
      [completion, { model: 'writer', prompt: 'x' }],
      [embedding, { model: 'embedder', input: 'x' }]
    ] as const) {
      assert.equal(await ask(operation, { body, secret: poor.secret }), '402 key_budget_exceeded')
      assert.equal(
        await ask(operation, { body, secret: rare.secret }),
        operation === chat ? '200' : '429 requests_per_minute'
      )
    }
  })
})

test('the endpoints in the format of another API match the document', async (t) => {
  const { gateway, close } = await startMessages()
  t.after(close)
  const key = await gateway.seedKey()
  const poor = await gateway.seedKey({ key: { monthlyBudgetNanos: 0 } })
  const ask = async (
    path: string,
    {
      method = 'post',
      secret = key.secret,
      url = path,
      body
    }: { method?: 'get' | 'post'; secret?: string; url?: string; body?: object }
  ): Promise<string> => {
    const answer = await fetch(gateway.url + url, {
      method,
      headers: { 'x-api-key': secret, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const found = (await answer.json()) as { error?: { details: { error_code: string } } }
    const place = ['paths', path, method, 'responses', answer.status, 'content', 'application/json', 'schema']
      .map((name) => encodeURIComponent(String(name).replaceAll('/', '~1')))
      .join('/')
    const check = ajv.getSchema(`https://document.test/#/${place}`)!
    assert.ok(check(found), `${path} ${answer.status}: ${ajv.errorsText(check.errors)}\n${JSON.stringify(found)}`)
    return [answer.status, found.error?.details.error_code].filter((part) => part !== undefined).join(' ')
  }
  const create = '/v1/messages'
  const count = '/v1/messages/count_tokens'
  const body = messageOf('small')
  assert.equal(await ask(create, { body }), '200')
  assert.equal(await ask(count, { body }), '200')
  assert.equal(await ask('/v1/models', { method: 'get' }), '200')
  assert.equal(await ask('/v1/models/{model}', { method: 'get', url: '/v1/models/small' }), '200')
  for (const path of [create, count]) {
    assert.equal(await ask(path, { body, secret: 'tg_nonsense' }), '401 invalid_api_key')
    assert.equal(await ask(path, { body: messageOf('none') }), '403 model_not_allowed')
    assert.equal(await ask(path, { body: { model: 'small' } }), '400 invalid_request')
    assert.equal(await ask(path, { body: messageOf('small', { thread: {} }) }), '400 thread_unsupported_request')
  }
  assert.equal(await ask(create, { body, secret: poor.secret }), '402 key_budget_exceeded')
})
