import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { chatOf, post, rawConnection } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

t.test('every answer forbids browsers to guess its type', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const { secret } = await gateway.seedKey()
  const headers = { authorization: `Bearer ${secret}` }
  for (const [path, options, status] of [
    ['/v1/models', { headers }, 200],
    ['/v1/models/small', { headers }, 200],
    ['/v1/openapi.json', {}, 200],
    ['/v1/chat/completions', { method: 'OPTIONS' }, 204],
    ['/v1/models', {}, 401],
    ['/v1/nothing', { headers }, 404],
    ['/v1/%zz', {}, 404]
  ] as const) {
    const answer = await fetch(gateway.url + path, options)
    // Unread, it would keep its connection.
    await answer.text()
    assert.equal(answer.status, status, path)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path)
  }
  for (const [body, status] of [
    [chatOf('small'), 200],
    ['{', 400],
    [chatOf('large'), 403]
  ] as const) {
    const answer = await post(gateway, secret, '/chat/completions', body)
    assert.equal(answer.status, status)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
  for (const status of [400, 500]) {
    upstream.answer(({ response }) => response.writeHead(status, { 'content-type': 'text/html' }).end('<script>'))
    const answer = await post(gateway, secret, '/chat/completions', chatOf('small'))
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
  const socket = rawConnection(gateway)
  socket.write('nonsense\r\n\r\n')
  assert.match(await text(socket), /x-content-type-options: nosniff\r\n/)
})
