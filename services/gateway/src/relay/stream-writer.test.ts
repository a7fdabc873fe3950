import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import t from 'tap'
import { type Source, StreamWriter } from './stream-writer.ts'

const nothing: Source = { pause() {}, resume() {} }
const nobody = { watch() {} }

/** Sends raw requests on one connection. @returns all bytes that the client gets */
async function exchange(requests: string, answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, ['content-type', 'text/event-stream'])
    answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(requests)
  const received = await text(socket.setEncoding('latin1'))
  server.close()
  return received
}

const request = (version: string, connection: string) =>
  `GET / HTTP/${version}\r\nhost: x\r\nconnection: ${connection}\r\n\r\n`

/** The body of the last answer, without its chunk framing. */
function bodyOf(received: string): string {
  const framed = received.slice(received.lastIndexOf('\r\n\r\n', received.length - 5) + 4)
  let body = ''
  for (let at = 0; ; ) {
    const lineEnd = framed.indexOf('\r\n', at)
    const size = Number.parseInt(framed.slice(at, lineEnd), 16)
    if (size === 0) return body
    body += framed.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
  }
}

t.test('bytes arrive unchanged, however they are cut and whenever they are written', async () => {
  const part = fc.tuple(fc.constantFrom(0, 1, 250, 8192, 8193, 70_000), fc.boolean())
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      let written = ''
      const received = await exchange(request('1.1', 'close'), async (response) => {
        const answer = new StreamWriter(response, nothing, nobody)
        for (const [length, waits] of parts) {
          const bytes = Buffer.alloc(length, 'é')
          written += bytes.toString('latin1')
          answer.write(bytes)
          if (waits) await new Promise(setImmediate)
        }
        answer.end()
      })
      assert.equal(bodyOf(received), written)
    }),
    { numRuns: 60 }
  )
})

t.test('an HTTP/1.0 client gets the bytes without chunks', async () => {
  const received = await exchange(request('1.0', 'close'), (response) => {
    const answer = new StreamWriter(response, nothing, nobody)
    answer.write(Buffer.from('data: 1\n\n'))
    answer.end()
  })
  assert.equal(received.slice(received.indexOf('\r\n\r\n') + 4), 'data: 1\n\n')
})

t.test('answers to pipelined requests arrive in the order of the requests', async () => {
  let asked = 0
  const received = await exchange(request('1.1', 'keep-alive') + request('1.1', 'close'), (response) => {
    const number = ++asked
    const answer = new StreamWriter(response, nothing, nobody)
    answer.write(Buffer.from(`data: ${number}\n\n`))
    // The second is complete before the first.
    setTimeout(() => answer.end(), number === 1 ? 50 : 0)
  })
  assert.match(
    received,
    /^HTTP\/1\.1 200 .*\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\nHTTP\/1\.1 200 .*\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n$/s
  )
})

t.test('the headers arrive before the first byte of the body', async () => {
  const arrived = Promise.withResolvers<void>()
  const server = createServer((_request, response) => {
    response.writeHead(200, ['content-type', 'text/event-stream'])
    const answer = new StreamWriter(response, nothing, nobody)
    arrived.promise.then(() => answer.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  assert.equal(response.status, 200)
  arrived.resolve()
  assert.equal(await response.text(), '')
  server.close()
  server.closeAllConnections()
})

t.test('the source is paused while the client does not read', async () => {
  const paused = Promise.withResolvers<void>()
  const server = createServer((_request, response) => {
    response.writeHead(200, ['content-type', 'text/event-stream'])
    let goesOn = true
    const more = () => {
      while (goesOn) answer.write(Buffer.alloc(4000, 'x'))
    }
    const source: Source = {
      pause() {
        goesOn = false
        paused.resolve()
      },
      resume: () => answer.end()
    }
    const answer = new StreamWriter(response, source, nobody)
    more()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(request('1.1', 'close'))
  await paused.promise
  assert.match(await text(socket), /0\r\n\r\n$/)
  server.close()
})
