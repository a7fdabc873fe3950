import assert from 'node:assert/strict'
import { type Response as Described, operationsOf } from '@tollgate/contracts/openapi/document.ts'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import { startModels } from '@tollgate/sandbox/models/start-models.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { test } from 'tap'
import { messageOf } from '../testing/message-answers.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { apis } from './index.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ ...inferenceDocument }, 'https://document.test/')
const checkAt = (pointer: string) => ajv.getSchema(`https://document.test/${pointer}`)!

/** Headers that the gateway adds. Those of HTTP, of CORS and of security need no description. */
const isOwn = (name: string): boolean =>
  /^(x-|request-id|retry-after|idempotency)/.test(name) && name !== 'x-content-type-options'

test('the gateway matches its document', async (t) => {
  const upstream = await startModels({ port: 0, apiKey: 'upstream-credential', paceMs: 0 })
  const gateway = await startGateway(upstream.url, {
    idempotencyMemoryMb: 256,
    upstreamsFile: `upstreams: { test: { base_url: '${upstream.baseUrl}', credential_variable: TEST_CREDENTIAL, speaks: [chat, completions, embeddings, responses, messages, moderations] } }`
  })
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
  /** Operations, as `post /v1/models`, and the types of their successes that were compared with the document. */
  const validated = new Set<string>()

  type Asked = { secret?: string | null; body?: unknown; url?: string; headers?: Record<string, string> }
  let lastBody = ''

  /** Makes a request, and compares the answer with the document. @returns the status, and the code of a failure */
  async function ask(
    [method, path]: readonly ['post' | 'get' | 'delete', string],
    { secret = key.secret, body, url = path, headers = {} }: Asked = {}
  ): Promise<string> {
    const answer = await fetch(gateway.url + url, {
      method,
      headers: {
        ...(secret !== null && { authorization: `Bearer ${secret}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(path.startsWith('/v1/messages') && { 'anthropic-version': '2023-06-01' }),
        ...headers
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    const what = `${method} ${path} ${answer.status}`
    const response = inferenceDocument.paths[path]![method]!.responses[answer.status]
    assert.ok(response !== undefined, `${what} is not in the document`)
    const described = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()))
    const undescribed = [...answer.headers.keys()].filter((name) => isOwn(name) && !described.has(name))
    assert.deepEqual(undescribed, [], what)
    const type = answer.headers.get('content-type')!.split(';')[0]!
    assert.ok(type in response.content!, `${what}: ${type}`)
    lastBody = await answer.text()
    if (type === 'text/event-stream') assertEvents(what, lastBody, response)
    else assertBody(what, lastBody, ['paths', path, method, 'responses', answer.status, 'content', type, 'schema'])
    if (answer.ok) validated.add(`${method} ${path} ${type}`)
    if (type !== 'application/json') return String(answer.status)
    const { error } = JSON.parse(lastBody) as { error?: { code?: string; details?: { error_code: string } } | null }
    return [answer.status, error?.code ?? error?.details?.error_code].filter((part) => part !== undefined).join(' ')
  }

  function assertBody(what: string, body: string, place: ReadonlyArray<string | number>): void {
    const check = checkAt(`#/${place.map((name) => encodeURIComponent(String(name).replaceAll('/', '~1'))).join('/')}`)
    assert.ok(check(JSON.parse(body)), `${what}: ${ajv.errorsText(check.errors)}\n${body}`)
  }

  function assertEvents(what: string, body: string, { content }: Described): void {
    const { $ref } = content!['text/event-stream']!.schema!['x-event-data'] as { $ref: string }
    const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!).filter((data) => data !== '[DONE]')
    assert.ok(events.length > 1, what)
    for (const data of events) {
      const check = checkAt($ref)
      assert.ok(check(JSON.parse(data)), `${what}: ${ajv.errorsText(check.errors)}\n${data}`)
    }
  }

  await t.test('it has exactly the routes of the gateway', async () => {
    const described = operationsOf(inferenceDocument).map(({ method, path }) => `${method} ${path}`)
    const registered = [...gateway.routes].map((route) => route.replace(/\*$/, '{model}').replace(':id', '{id}'))
    assert.deepEqual(described.sort(), registered.sort())
  })

  await t.test('a request has exactly the members that the gateway accepts', async () => {
    for (const { path, members } of apis) {
      const { requestBody } = inferenceDocument.paths[`/v1${path}`]!.post!
      const { $ref } = requestBody!.content['application/json']!.schema as { $ref: string }
      const { properties } = inferenceDocument.components.schemas[$ref.split('/').at(-1)!]!
      const listed = Object.entries(properties as Record<string, { description: string }>)
      // Members that are always refused are listed too, to say what to send instead.
      const taken = listed.filter(([name, { description }]) => name !== 'usage' && !description.startsWith('Refused'))
      assert.deepEqual(
        taken.map(([name]) => name).filter((name) => !members.has(name)),
        [],
        path
      )
      assert.deepEqual(
        [...members].filter((name) => !listed.some(([one]) => one === name)),
        [],
        path
      )
    }
  })

  await t.test('it is served without a key', async () => {
    assert.equal(await ask(['get', '/v1/openapi.json'], { secret: null }), '200')
    const answer = await fetch(`${gateway.url}/v1/openapi.json`)
    assert.match(answer.headers.get('content-type')!, /^application\/json/)
    assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(inferenceDocument)))
  })

  const chat = ['post', '/v1/chat/completions'] as const
  const completion = ['post', '/v1/completions'] as const
  const embedding = ['post', '/v1/embeddings'] as const
  const moderation = ['post', '/v1/moderations'] as const
  const list = ['get', '/v1/models'] as const
  const one = ['get', '/v1/models/{model}'] as const
  const own = ['get', '/v1/key'] as const
  const credits = ['get', '/v1/credits'] as const
  const response = ['post', '/v1/responses'] as const
  const message = ['post', '/v1/messages'] as const
  const countOfMessage = ['post', '/v1/messages/count_tokens'] as const
  const stored = '/v1/responses/{id}'
  const messages = [{ role: 'user', content: 'Hello' }]
  const anthropic = { 'anthropic-version': '2023-06-01' }

  await t.test('every success of every operation matches it, whole and as a stream', async () => {
    for (const stream of [false, true]) {
      assert.equal(await ask(chat, { body: { model: 'small', messages, stream } }), '200')
      assert.equal(await ask(completion, { body: { model: 'writer', prompt: 'Once', stream } }), '200')
      assert.equal(await ask(message, { body: messageOf('small', { stream }) }), '200')
      assert.equal(await ask(response, { body: { model: 'small', input: 'Hello', stream } }), '200')
    }
    for (const encoding_format of ['float', 'base64']) {
      assert.equal(await ask(embedding, { body: { model: 'embedder', input: ['a', 'b'], encoding_format } }), '200')
    }
    assert.equal(await ask(moderation, { body: { model: 'judge', input: ['a', 'b'] } }), '200')
    for (const n of [1, 1, 2, 2]) {
      const headers = { 'idempotency-key': `key ${n}` }
      assert.equal(await ask(chat, { body: { model: 'small', messages, n }, headers }), '200')
    }
    for (const headers of [{}, anthropic]) {
      assert.equal(await ask(list, { headers }), '200')
      assert.equal(await ask(one, { url: '/v1/models/small', headers }), '200')
      for (const secret of [key.secret, poor.secret]) assert.equal(await ask(own, { secret, headers }), '200')
      assert.equal(await ask(credits, { headers }), '200')
    }
    assert.equal(await ask(countOfMessage, { body: { model: 'small', messages } }), '200')
    // The provider's own refusal: it counts only prompts.
    assert.match(await ask(countOfMessage, { body: messageOf('small') }), /^400/)
    assert.equal(await ask(['post', '/v1/responses/input_tokens'], { body: { model: 'small', input: 'Hi' } }), '200')
    assert.equal(await ask(['post', '/v1/responses/compact'], { body: { model: 'small', input: 'Hi' } }), '200')
    assert.equal(await ask(response, { body: { model: 'small', input: 'Hello' } }), '200')
    const url = `/v1/responses/${(JSON.parse(lastBody) as { id: string }).id}`
    assert.equal(await ask(['get', stored], { url }), '200')
    assert.equal(await ask(['get', `${stored}/input_items`], { url: `${url}/input_items?limit=5` }), '200')
    assert.match(await ask(['post', `${stored}/cancel`], { url: `${url}/cancel` }), /^400 /)
    assert.equal(await ask(['delete', stored], { url }), '200')
    const described = operationsOf(inferenceDocument).flatMap(({ method, path, operation }) =>
      Object.keys(operation.responses[200]!.content!).map((type) => `${method.toLowerCase()} ${path} ${type}`)
    )
    // The provider refuses to cancel what does not run in the background.
    const possible = described.filter((one) => !one.startsWith(`post ${stored}/cancel`))
    assert.deepEqual([...validated].sort(), possible.sort())
  })

  await t.test('every failure matches it', async () => {
    for (const [operation, body, headers = {}] of [
      [chat, { model: 'small', messages }],
      [completion, { model: 'writer', prompt: 'x' }],
      [embedding, { model: 'embedder', input: 'x' }],
      [message, messageOf('small')],
      [countOfMessage, messageOf('small')],
      [list, undefined],
      [list, undefined, anthropic],
      [one, undefined],
      [one, undefined, anthropic],
      [own, undefined],
      [own, undefined, anthropic],
      [credits, undefined]
    ] as const) {
      const url = operation[1].replace('{model}', 'small')
      for (const [secret, code] of [
        [null, '401 missing_api_key'],
        ['tg_nonsense', '401 invalid_api_key'],
        [revoked.secret, '401 revoked_api_key'],
        [expired.secret, '401 expired_api_key'],
        [suspended.secret, '403 account_suspended'],
        [paused.secret, '403 paused_api_key']
      ] as const) {
        assert.equal(await ask(operation, { body, url, secret, headers }), code)
      }
    }
    assert.equal(await ask(chat, { body: '{' }), '400 invalid_json')
    const used = { body: { model: 'small', messages, n: 3 }, headers: { 'idempotency-key': 'key 1' } }
    assert.equal(await ask(chat, used), '409 idempotency_key_reused')
    assert.equal(await ask(chat, { ...used, headers: { 'idempotency-key': 'x'.repeat(256) } }), '400 invalid_request')
    assert.equal(await ask(chat, { body: { model: 'small' } }), '400 invalid_request')
    assert.equal(await ask(chat, { body: { model: 'none', messages } }), '403 model_not_allowed')
    assert.equal(await ask(completion, { body: { model: 'small', prompt: 'x' } }), '400 wrong_endpoint')
    assert.equal(await ask(embedding, { body: { model: 'embedder' } }), '400 invalid_request')
    assert.equal(await ask(one, { url: '/v1/models/none' }), '403 model_not_allowed')
    assert.equal(
      await ask(chat, { body: { model: 'small', messages, service_tier: 'priority' } }),
      '400 unpriced_parameter'
    )
    for (const operation of [message, countOfMessage]) {
      assert.equal(await ask(operation, { body: messageOf('none') }), '403 model_not_allowed')
      assert.equal(await ask(operation, { body: { model: 'small' } }), '400 invalid_request')
      assert.equal(await ask(operation, { body: messageOf('small', { thread: {} }) }), '400 thread_unsupported_request')
    }
    for (const [operation, body] of [
      [chat, { model: 'small', messages }],
      [completion, { model: 'writer', prompt: 'x' }],
      [embedding, { model: 'embedder', input: 'x' }],
      [message, messageOf('small')]
    ] as const) {
      assert.equal(await ask(operation, { body, secret: poor.secret }), '402 key_budget_exceeded')
      assert.equal(
        await ask(operation, { body, secret: rare.secret }),
        operation === chat ? '200' : '429 requests_per_minute'
      )
    }
    assert.equal(await ask(['get', stored], { url: '/v1/responses/resp_none' }), '404 response_not_found')
  })
})
