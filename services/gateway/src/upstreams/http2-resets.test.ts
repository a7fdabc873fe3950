import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

const pem = fileURLToPath(new URL('../testing/localhost.pem', import.meta.url))
const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants
/** Types and flags of frames (RFC 9113, section 6). */
const [data, headers, rstStream, settings, goAway] = [0, 1, 3, 4, 7]
const [endStream, endHeaders, ack] = [1, 4, 1]
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A head with status 200 and this content type. The type is a literal without indexing (RFC 7541, 6.2.2). */
function head(stream: number, type: string): Buffer {
  const field = (text: string) => [Buffer.from([text.length]), Buffer.from(text)]
  const block = [Buffer.from([0x88, 0]), ...field('content-type'), ...field(type)]
  return frame(headers, endHeaders, stream, Buffer.concat(block))
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** An HTTP/2 upstream that writes raw frames. `answer` gets the number of each stream once its head arrived. */
async function startRawHttp2(answer: (stream: number, write: (...frames: Buffer[]) => void) => void) {
  const key = readFileSync(pem)
  const sockets = new Set<TLSSocket>()
  const server = createServer({ key, cert: key, ALPNProtocols: ['h2'] }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write(frame(settings, 0, 0))
    let received = Buffer.alloc(0)
    let from = preface.length
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      while (received.length >= from + 9 && received.length >= from + 9 + received.readUIntBE(from, 3)) {
        const [type, flags, stream] = [received[from + 3], received[from + 4]!, received.readUInt32BE(from + 5)]
        from += 9 + received.readUIntBE(from, 3)
        if (type === settings && (flags & ack) === 0) socket.write(frame(settings, ack, 0))
        if (type === headers) answer(stream, (...frames) => void socket.write(Buffer.concat(frames)))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}/v1`
  const upstreamsFile = `upstreams: { test: { base_url: '${url}', ca_file: '${pem}', http2: true } }`
  const gateway: TestGateway = await startGateway('', { upstreamsFile })
  const { secret } = await gateway.seedKey()
  return {
    ask: (stream: boolean) => post(gateway, secret, '/chat/completions', chatOf('small', { stream })),
    async close() {
      await gateway.close()
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    }
  }
}

const word = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n')
const reset = (stream: number, code: number) => frame(rstStream, 0, stream, number(code))

t.test('a stream that is reset before its end is broken, for every code', async () => {
  for (const code of [NGHTTP2_NO_ERROR, NGHTTP2_CANCEL]) {
    let breakOff = () => {}
    const upstream = await startRawHttp2((stream, write) => {
      write(head(stream, 'text/event-stream'), frame(data, 0, stream, word))
      breakOff = () => write(reset(stream, code))
    })
    const answer = await upstream.ask(true)
    const pieces: Uint8Array[] = []
    for await (const piece of answer.body!) {
      if (pieces.length === 0) breakOff()
      pieces.push(piece)
    }
    const text = Buffer.concat(pieces).toString()
    assert.match(text, /^data: {"choices".*\n\ndata: {"error":.*"upstream_error"}}\n\n$/, `code ${code}`)
    await upstream.close()
  }
})

t.test('a stream that is reset after its end is complete', async () => {
  // This reset only says that the upstream does not need the rest of the request (RFC 9113, section 8.1).
  const upstream = await startRawHttp2((stream, write) =>
    write(head(stream, 'text/event-stream'), frame(data, endStream, stream, word), reset(stream, NGHTTP2_NO_ERROR))
  )
  assert.equal(await (await upstream.ask(true)).text(), word.toString())
  await upstream.close()
})

t.test('a call reaches the upstream once, even if its stream is refused', async () => {
  for (const refusal of [
    (stream: number) => reset(stream, NGHTTP2_REFUSED_STREAM),
    () => frame(goAway, 0, 0, Buffer.concat([number(0), number(NGHTTP2_NO_ERROR)]))
  ]) {
    let calls = 0
    const upstream = await startRawHttp2((stream, write) => {
      calls++
      write(refusal(stream))
    })
    const answer = await upstream.ask(false)
    assert.equal(answer.headers.get('x-should-retry'), 'false')
    assert.equal(await outcomeOf(answer), '502 upstream_error')
    assert.equal(calls, 3)
    await upstream.close()
  }
})
