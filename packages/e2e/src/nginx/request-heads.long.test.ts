import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import t, { type Test } from 'tap'
import { startShippedNginx } from './start-shipped-nginx.ts'

const program = findProgram(['nginx'])

/** Starts nginx before a server that answers 200 to everything. @returns the URL of nginx */
async function start(t: Test): Promise<URL> {
  const server = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return new URL(await startShippedNginx(t, program!, [host, host]))
}

/** Sends bytes. @returns the status, the header that SDKs read, and the error */
async function send({ hostname, port }: URL, bytes: string) {
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, error: JSON.parse(body).error }
}

t.test('nginx passes on every header that a gateway accepts', async (t) => {
  if (!need(t, 'nginx', program)) return
  const url = await start(t)
  const answer = await fetch(`${url.origin}/v1/models`, { headers: { 'x-long': 'a'.repeat(15 * 1024) } })
  assert.equal(answer.status, 200)
  assert.equal((await fetch(`${url.origin}/v1/models?after=${'a'.repeat(15 * 1024)}`)).status, 200)
})

t.test('nginx refuses heads that are too large with an error of the gateway’s shape', async (t) => {
  if (!need(t, 'nginx', program)) return
  const url = await start(t)
  const heads = [
    `GET /v1/models HTTP/1.1\r\nhost: a\r\nx-long: ${'a'.repeat(64 * 1024)}\r\n\r\n`,
    `GET /v1/models HTTP/1.1\r\nhost: a\r\n${`x-more: ${'a'.repeat(1024)}\r\n`.repeat(80)}\r\n`,
    `GET /v1/models?after=${'a'.repeat(64 * 1024)} HTTP/1.1\r\nhost: a\r\n\r\n`
  ]
  for (const bytes of heads) {
    const { status, head, error } = await send(url, bytes)
    assert.equal(status, 413)
    assert.match(head, /content-type: application\/json/i)
    assert.match(head, /x-should-retry: false/i)
    assert.deepEqual(error, {
      message: 'The headers of the request are too large. Send fewer or shorter headers.',
      type: 'invalid_request_error',
      code: 'request_too_large'
    })
  }
})

t.test('nginx refuses bytes that are not HTTP with an error of the gateway’s shape', async (t) => {
  if (!need(t, 'nginx', program)) return
  const url = await start(t)
  const both =
    'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'
  for (const bytes of ['GET /v1/models HTTP/1.1\r\n\r\n', 'NOTHING\r\n\r\n', both]) {
    const { status, error } = await send(url, bytes)
    assert.equal(status, 400)
    assert.deepEqual(error, {
      message: 'The request is not valid HTTP. Send it with an HTTP client library.',
      type: 'invalid_request_error',
      code: 'invalid_request'
    })
  }
})
