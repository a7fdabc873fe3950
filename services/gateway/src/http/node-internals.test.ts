import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t from 'tap'

// docs/library-internals.md lists this behaviour of Node's HTTP server. Node does not promise it: this test fails when
// it changes.
t.test('a socket refers to its current answer, and to nothing between two requests', async () => {
  const answerOf = (socket: Socket) => (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  const requests: Array<[IncomingMessage, ServerResponse]> = []
  const server = createServer((request, response) => void requests.push([request, response]))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  assert.equal(answerOf(socket) ?? null, null, 'before the first request')
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{')
  while (requests.length < 1) await new Promise(setImmediate)
  const [[request, first]] = requests as [[IncomingMessage, ServerResponse]]
  assert.equal(answerOf(socket), first)
  assert.equal(first.req, request)
  assert.equal(request.complete, false)
  assert.equal(first.shouldKeepAlive, true)
  // The rest of the first request, and a second one.
  client.write('}GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  while (requests.length < 2) await new Promise(setImmediate)
  const second = requests[1]![1]
  assert.equal(answerOf(socket), first, 'the second answer waits for the first')
  assert.equal(second.shouldKeepAlive, false)
  const seen = new Promise<unknown>((resolve) => first.once('finish', () => resolve(answerOf(socket))))
  first.end('x')
  assert.equal(await seen, second, 'already when the first answer emits `finish`')
  second.end('x')
  await once(second, 'finish')
  assert.equal(answerOf(socket) ?? null, null)
  client.destroy()
  server.close()
})
