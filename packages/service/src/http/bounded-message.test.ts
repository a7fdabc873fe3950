import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t from 'tap'
import { BoundedMessage, skipEndedConnections } from './bounded-message.ts'

/** A server with such requests that counts them, and a connection to it. */
async function start() {
  const counted = { requests: 0, bodies: 0, bytes: 0 }
  const server = createServer({ IncomingMessage: BoundedMessage }, (request, response) => {
    counted.requests++
    request.on('data', (chunk: Buffer) => {
      counted.bytes += chunk.length
    })
    request.on('end', () => {
      counted.bodies++
      response.end('it')
    })
  })
  skipEndedConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  t.teardown(() => {
    socket.destroy()
    server.close()
  })
  return { counted, socket }
}

/** What a connection has brought when it has brought so many answers, or has ended. */
async function answersOf(socket: Socket, wanted: number): Promise<number> {
  let text = ''
  try {
    for await (const chunk of socket) {
      text += String(chunk)
      if (text.split('HTTP/1.1 200').length > wanted) break
    }
  } catch (error) {
    assert.match(String(error), /ECONNRESET|EPIPE/)
  }
  return text.split('HTTP/1.1 200').length - 1
}

const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const chunked = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'
const tinyChunk = '1\r\n \r\n'

t.test('a few requests at once are answered', async () => {
  const { counted, socket } = await start()
  socket.write(get.repeat(8))
  assert.equal(await answersOf(socket, 8), 8)
  assert.equal(counted.requests, 8)
})

t.test('a connection with many requests at once is ended, and what it brought besides is not handled', async () => {
  const { counted, socket } = await start()
  socket.write(get.repeat(50_000))
  await answersOf(socket, 50_000)
  assert.ok(counted.requests <= 16, `${counted.requests} of 50,000`)
})

t.test('a body in some thousand tiny chunks is read', async () => {
  const { counted, socket } = await start()
  socket.write(`${chunked}${tinyChunk.repeat(3000)}0\r\n\r\n`)
  assert.equal(await answersOf(socket, 1), 1)
  assert.equal(counted.bytes, 3000)
})

t.test('a connection with very many tiny chunks at once is ended', async () => {
  const { counted, socket } = await start()
  socket.write(`${chunked}${tinyChunk.repeat(400_000)}0\r\n\r\n`)
  assert.equal(await answersOf(socket, 1), 0)
  assert.equal(counted.bodies, 0)
})
