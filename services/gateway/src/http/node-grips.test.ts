import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t from 'tap'

// What docs/grips.md says of Node's HTTP server. Node does not promise it: this test fails when it changes.
t.test('a socket refers to its current answer, and to nothing between two requests', async (t) => {
  const answerOf = (socket: Socket) => (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  const asked: Array<[IncomingMessage, ServerResponse]> = []
  const server = createServer((request, response) => void asked.push([request, response]))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  t.notOk(answerOf(socket), 'before the first request')
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{')
  while (asked.length < 1) await new Promise(setImmediate)
  const [[request, first]] = asked as [[IncomingMessage, ServerResponse]]
  t.equal(answerOf(socket), first)
  t.equal(first.req, request)
  t.equal(request.complete, false)
  t.equal(first.shouldKeepAlive, true)
  // The rest of the first, and another behind it.
  client.write('}GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  while (asked.length < 2) await new Promise(setImmediate)
  const second = asked[1]![1]
  t.equal(answerOf(socket), first, 'the second waits for the first')
  t.equal(second.shouldKeepAlive, false)
  const seen = new Promise<unknown>((resolve) => first.once('finish', () => resolve(answerOf(socket))))
  first.end('x')
  t.equal(await seen, second, 'already when the first tells of its end')
  second.end('x')
  await once(second, 'finish')
  t.notOk(answerOf(socket))
  client.destroy()
  server.close()
})
