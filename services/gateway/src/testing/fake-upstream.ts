import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the upstream received, with its whole body. */
export interface Received {
  request: IncomingMessage
  response: ServerResponse
  body: string
}

export interface FakeUpstream {
  url: string
  /** Everything received so far. */
  received: Received[]
  /** Sets how the next requests are answered. */
  answer(handler: (received: Received) => void): void
  close(): Promise<void>
}

/** An answer to a chat or a completion, without usage. */
export const plainAnswer = '{"object":"chat.completion","choices":[{"index":0,"message":{}}]}'

/** The same as a stream. */
export const plainStream = 'data: {"choices":[{"index":0,"delta":{}}]}\n\ndata: [DONE]\n\n'

/** An answer to a request for embeddings, without usage. */
export const plainEmbedding = '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}]}'

/** A response without usage. */
export const plainResponse = '{"object":"response","status":"completed","output":[]}'

/** An HTTP server with answers that a test sets. */
export async function startFakeUpstream(): Promise<FakeUpstream> {
  const received: Received[] = []
  let handler: (received: Received) => void = ({ request, response, body }) => {
    const isStream = body.includes('"stream":true')
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
    if (isStream) response.end(plainStream)
    else if (request.url!.endsWith('/embeddings')) response.end(plainEmbedding)
    else response.end(request.url!.endsWith('/responses') ? plainResponse : plainAnswer)
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const entry = { request, response, body: Buffer.concat(chunks).toString() }
    received.push(entry)
    handler(entry)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer(next) {
      handler = next
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }
  }
}

/** The calls of models among requests: gateways also read the list of models, to check their credentials. */
export const callsOf = (received: readonly Received[]): Received[] =>
  received.filter(({ request }) => request.method === 'POST')
