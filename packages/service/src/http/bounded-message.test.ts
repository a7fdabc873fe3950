import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type Test, test } from 'tap'
import { BoundedMessage, skipEndedConnections } from './bounded-message.ts'

/** Starts a server that counts its requests, and connects to it. */
async function start(t: Test) {
  const counts = { requests: 0, bodies: 0, bytes: 0 }
  const server = createServer({ IncomingMessage: BoundedMessage }, (request, response) => {
    counts.requests++
    request.on('data', (chunk: Buffer) => {
      counts.bytes += chunk.length
    })
    request.on('end', () => {
      counts.bodies++
      response.end('it')
    })
  })
  skipEndedConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  t.after(() => {
    socket.destroy()
    server.close()
  })
  return { counts, socket }
}

/** Counts the answers on a connection, until the wanted number or its end. */
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

test('a few requests at once are answered', async (t) => {
  const { counts, socket } = await start(t)
  socket.write(get.repeat(8))
  assert.equal(await answersOf(socket, 8), 8)
  assert.equal(counts.requests, 8)
})

test('a connection with too many requests at once is closed, and the rest is not handled', async (t) => {
  const { counts, socket } = await start(t)
  socket.write(get.repeat(50_000))
  await answersOf(socket, 50_000)
  assert.ok(counts.requests <= 16, `${counts.requests} of 50,000`)
})

test('a body in thousands of tiny chunks is read', async (t) => {
  const { counts, socket } = await start(t)
  socket.write(`${chunked}${tinyChunk.repeat(3000)}0\r\n\r\n`)
  assert.equal(await answersOf(socket, 1), 1)
  assert.equal(counts.bytes, 3000)
})

test('a connection with too many tiny chunks at once is closed', async (t) => {
  const { counts, socket } = await start(t)
  socket.write(`${chunked}${tinyChunk.repeat(400_000)}0\r\n\r\n`)
  assert.equal(await answersOf(socket, 1), 0)
  assert.equal(counts.bodies, 0)
})
