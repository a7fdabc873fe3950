import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants, createSecureServer, type ServerHttp2Session } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { plainAnswer } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

const pem = fileURLToPath(new URL('../testing/localhost.pem', import.meta.url))

t.test('all calls of an HTTP/2 upstream share one connection', async () => {
  const key = readFileSync(pem)
  const sessions = new Set<ServerHttp2Session>()
  const waiting: Array<() => void> = []
  const server = createSecureServer({ key, cert: key, allowHTTP1: true }, async (request, response) => {
    const { stream, user } = (await json(request)) as { stream?: boolean; user?: string }
    if (user === 'too often') {
      response.writeHead(429, { 'retry-after-ms': '7250' }).end()
      return
    }
    if (user !== undefined) {
      const type = user === 'streamed' ? 'text/event-stream' : 'application/json'
      response.writeHead(200, { 'content-type': type })
      response.write(user === 'streamed' ? 'data: {"choices":[]}\n\n' : '{"choices":[{}', () =>
        response.stream.close(constants.NGHTTP2_CANCEL)
      )
      return
    }
    if (stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ choices: [{}], version: request.httpVersion, authorization: request.headers.authorization })
      )
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')
    waiting.push(() => response.end('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\ndata: [DONE]\n\n'))
    if (waiting.length === 10) for (const end of waiting) end()
  })
  server.on('session', (session) => sessions.add(session))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}/v1`
  const entry = (http2: boolean) =>
    `{ base_url: '${url}', credential_variable: TEST_CREDENTIAL, ca_file: '${pem}', http2: ${http2} }`
  for (const http2 of [true, false]) {
    const gateway = await startGateway('', { upstreamsFile: `upstreams: { test: ${entry(http2)} }` })
    const { secret } = await gateway.seedKey()
    const whole = await post(gateway, secret, '/chat/completions', chatOf('small'))
    assert.deepEqual(await whole.json(), {
      choices: [{}],
      version: http2 ? '2.0' : '1.1',
      authorization: 'Bearer upstream-credential'
    })
    const streams = Array.from({ length: 10 }, async () => {
      const answer = await post(gateway, secret, '/chat/completions', chatOf('small', { stream: true }))
      return answer.text()
    })
    for (const text of await Promise.all(streams)) {
      assert.equal(text, 'data: {"choices":[{"delta":{"content":"x"}}]}\n\ndata: [DONE]\n\n')
    }
    waiting.length = 0
    const limited = await post(gateway, secret, '/chat/completions', chatOf('small', { user: 'too often' }))
    assert.equal(limited.headers.get('retry-after-ms'), '7250')
    assert.equal(await outcomeOf(limited), '503 upstream_rate_limited')
    if (http2) {
      const leaving = new AbortController()
      const left = await post(gateway, secret, '/chat/completions', chatOf('small', { stream: true }), {
        signal: leaving.signal
      })
      leaving.abort()
      await assert.rejects(left.text())
      assert.equal(await outcomeOf(await post(gateway, secret, '/chat/completions', chatOf('small'))), '200')
      const broken = await post(
        gateway,
        secret,
        '/chat/completions',
        chatOf('small', { user: 'streamed', stream: true })
      )
      assert.match(await broken.text(), /\n\ndata: {"error":.*"upstream_error"}}\n\n$/, 'a reset stream fails')
      const cut = await post(gateway, secret, '/chat/completions', chatOf('small', { user: 'whole' }))
      assert.equal(await outcomeOf(cut), '502 upstream_error', 'a reset single body fails')
      assert.equal(sessions.size, 1, 'one connection for all calls')
    }
    await gateway.close()
    waiting.length = 0
  }
  for (const session of sessions) session.destroy()
  server.close()
  await once(server, 'close')
  const gateway = await startGateway('', { upstreamsFile: `upstreams: { test: ${entry(true)} }` })
  const { secret } = await gateway.seedKey()
  const gone = await post(gateway, secret, '/chat/completions', chatOf('small'))
  assert.equal(await outcomeOf(gone), '502 upstream_unreachable', 'the upstream is down')
  await gateway.close()
})

t.test('an upstream without HTTP/2 gets an HTTP/1.1 connection for each call', async () => {
  const key = readFileSync(pem)
  let connections = 0
  const paths: string[] = []
  const server = createServer({ key, cert: key }, (request, response) => {
    paths.push(`${request.httpVersion} ${request.url}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer)
  }).on('secureConnection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}/v1?api-version=1`
  const gateway = await startGateway('', {
    upstreamsFile: `upstreams: { test: { base_url: '${url}', ca_file: '${pem}', http2: true } }`
  })
  const { secret } = await gateway.seedKey()
  for (const _ of [1, 2]) {
    assert.equal(await outcomeOf(await post(gateway, secret, '/chat/completions', chatOf('small'))), '200')
  }
  assert.equal(connections, 2)
  assert.deepEqual(paths, Array(2).fill('1.1 /v1/chat/completions?api-version=1'))
  await gateway.close()
  server.close()
})
