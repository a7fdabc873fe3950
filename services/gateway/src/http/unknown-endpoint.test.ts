import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, request as sendRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { chatOf, outcomeOf, post, rawConnection } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'

let gateway: TestGateway
let secret = ''
t.before(async () => {
  const upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, {
    catalog: catalogOf({ small: [{ upstream: 'test' }], 'meta-llama/Llama-3': [{ upstream: 'test' }] })
  })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  secret = (await gateway.seedKey()).secret
})

interface Answer {
  status: number
  allow: string | undefined
  code: string
  message: string
}

/** Sends a target exactly as written, without a key. */
async function ask(method: string, target: string, body = ''): Promise<Answer> {
  const { port } = new URL(gateway.url)
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': body.length, 'content-type': 'application/json' }
    const request = sendRequest({ host: '127.0.0.1', port, method, path: target, headers }, async (response) => {
      const { error } = JSON.parse((await text(response)) || '{"error":{}}')
      resolve({ status: response.statusCode!, allow: response.headers.allow, ...error })
    })
    request.on('error', reject).end(body)
  })
}

t.test('a 404 names the method and the path, shortened and without the query', async () => {
  for (const [method, target, shown] of [
    ['GET', '/v1/nothing?key=s3cret', 'GET /v1/nothing'],
    ['POST', '/', 'POST /'],
    ['PROPFIND', '/v1/nothing/', 'PROPFIND /v1/nothing/'],
    ['PATCH', 'http://user:s3cret@x/v1/nothing?s3cret', 'PATCH /v1/nothing'],
    ['GET', '/v1/%zz?s3cret', 'GET /v1/%zz'],
    ['PUT', '/v1/%zz', 'PUT /v1/%zz'],
    ['GET', '/v1/<b>"\\', 'GET /v1/<b>"\\'],
    ['GET', `/v1/${'x'.repeat(500)}`, `GET /v1/${'x'.repeat(96)}…`]
  ] as const) {
    const { status, code, message } = await ask(method, target)
    assert.deepEqual([status, code], [404, 'unknown_endpoint'], target)
    assert.ok(
      message.startsWith(`There is no endpoint ${shown}. This service has POST /v1/chat/completions, `),
      message
    )
    assert.doesNotMatch(message, /s3cret/)
  }
})

t.test('the 404 of an endpoint that other APIs have says what to use instead', async () => {
  for (const [method, path, advice] of [
    ['POST', '/v1/responses/x/y/z', 'This service has POST /v1/responses.'],
    ['POST', '/v1/assistants', 'Use POST /v1/chat/completions.'],
    ['POST', '/v1/threads/t/runs', 'Use POST /v1/chat/completions.'],
    ['POST', '/v1/messages/batches', 'Send each message to POST /v1/messages.'],
    ['POST', '/v1/v1/messages', "Use /v1/messages: clients of Anthropic's API expect the base URL without /v1."],
    ['POST', '/messages/count_tokens', 'Use /v1/messages/count_tokens: '],
    ['GET', '/v1/engines', 'GET /v1/models lists'],
    ['GET', '/v1/realtime', '"stream": true'],
    ['POST', '/v1/audio/transcriptions', 'input_audio'],
    ['POST', '/v1/files', 'put it into the messages'],
    ['POST', '/v1/batches', 'Send each request to its own endpoint'],
    ['POST', '/v1/images/generations', 'Call the provider directly.'],
    ['POST', '/v1/fine_tuning/jobs', 'Call the provider directly.'],
    ['POST', '/chat/completions', 'Use /v1/chat/completions: the base URL of the client must end in /v1'],
    ['GET', '/models', 'Use /v1/models: '],
    ['GET', '/api/v1/key', 'Use /v1/key: '],
    ['GET', '/v1/key/info', 'GET /v1/key describes the key'],
    ['GET', '/v1/usage', 'GET /v1/key says what is left'],
    ['POST', '/v1/v1/chat/completions', 'Use /v1/chat/completions: '],
    ['POST', '/v1/chat/completions/chat/completions', 'Use /v1/chat/completions: '],
    ['POST', '/v1//embeddings', 'Use /v1/embeddings: '],
    ['POST', '/openai/deployments/x/chat/completions?api-version=1', 'Use /v1/chat/completions: '],
    ['POST', '/v1/v1/responses', 'Use /v1/responses: ']
  ] as const) {
    const { status, message } = await ask(method, path)
    assert.equal(status, 404, path)
    assert.ok(message.includes(advice), `${path}: ${message}`)
  }
})

t.test('another method of an endpoint gets 405 with Allow, whatever its body', async () => {
  for (const [method, path, allow] of [
    ['GET', '/v1/chat/completions', 'POST, OPTIONS'],
    ['DELETE', '/v1/embeddings/', 'POST, OPTIONS'],
    ['POST', '/v1/models', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/models/meta-llama/Llama-3?key=s3cret', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/v1/openapi.json', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/credits', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/v1/completions', 'POST, OPTIONS']
  ] as const) {
    for (const body of ['', '{"model":']) {
      const answer = await ask(method, path, body)
      assert.partialDeepStrictEqual(answer, { status: 405, allow, code: 'method_not_allowed' }, `${method} ${path}`)
      assert.equal(answer.message, `${path.split('?')[0]} does not take ${method}. Use ${allow}.`)
    }
  }
  assert.partialDeepStrictEqual(await ask('HEAD', '/v1/chat/completions'), { status: 405, allow: 'POST, OPTIONS' })
})

t.test('a slash at the end of a path makes no difference, also after a model name', async () => {
  const { port } = new URL(gateway.url)
  const read = (path: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${secret}` }
      get({ host: '127.0.0.1', port, path, headers }, (response) => resolve(text(response))).on('error', reject)
    })
  assert.equal(await outcomeOf(await post(gateway, secret, '/chat/completions/', chatOf('small'))), '200')
  assert.equal(await read('/v1/models/'), await read('/v1/models'))
  for (const name of ['small', 'meta-llama/Llama-3', 'meta-llama%2FLlama-3']) {
    const model = await read(`/v1/models/${name}`)
    assert.equal(JSON.parse(model).id, decodeURIComponent(name))
    assert.equal(await read(`/v1/models/${name}/`), model)
  }
  assert.match(await read('/v1/models/meta-llama/'), /model_not_allowed/)
  assert.equal((await ask('POST', '/v1/chat/completions//')).status, 404)
})

t.test('a WebSocket gets 426, so that its client sends HTTP requests instead', async () => {
  for (const path of ['/v1/responses', '/v1/realtime']) {
    const socket = rawConnection(gateway)
    const key = 'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${key}\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    assert.match(answer.toString(), /^HTTP\/1\.1 426 [\s\S]*websocket_not_offered/)
  }
})
