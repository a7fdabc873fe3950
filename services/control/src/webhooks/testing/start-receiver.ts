import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface ReceivedMessage {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly path: string
  readonly body: string
}

/** A receiver of webhooks on 127.0.0.1. It answers 204 unless told otherwise. */
export interface Receiver {
  readonly url: string
  readonly received: ReceivedMessage[]
  /** Answers from now on. */
  answer(how: (response: ServerResponse, message: ReceivedMessage) => void): void
  /** Resolves with the next message. */
  next(): Promise<ReceivedMessage>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = []
  const waiting: Array<(message: ReceivedMessage) => void> = []
  let how: Parameters<Receiver['answer']>[0] = (response) => response.writeHead(204).end()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { headers, url: path = '' } = request
    const message = { id: String(headers['webhook-id']), headers, path, body: Buffer.concat(chunks).toString() }
    received.push(message)
    waiting.shift()?.(message)
    how(response, message)
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer(next) {
      how = next
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
}

/**
 * Verifies a message with the reference library of the specification. @returns its payload @throws Error if the
 * signature is wrong
 */
export function verify(
  secret: string,
  { headers, body }: ReceivedMessage
): { type: string; data: unknown; timestamp: string } {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as ReturnType<typeof verify>
}
