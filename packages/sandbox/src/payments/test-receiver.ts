import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'

/** A received webhook. */
export interface Received {
  body: string
  signature: string
  type: string
  eventId: string
}

export interface Receiver {
  url: string
  /** In the order of arrival. */
  received: readonly Received[]
  /** Sets the status for the n-th webhook, from 0; null: no answer. */
  answerWith(status: (index: number) => number | null): void
  /** Resolves when this number of webhooks has arrived. */
  arrived(count: number): Promise<void>
  /** Throws unless the secret signed the bytes. */
  verify(received: Received, secret: string): Stripe.Event
}

interface Teardown {
  teardown(close: () => Promise<void>): unknown
}

/** Starts a webhook receiver for a test. It closes with the test. */
export async function startReceiver(t: Teardown): Promise<Receiver> {
  const received: Received[] = []
  const arrivals = new EventEmitter()
  let statusOf: (index: number) => number | null = () => 200
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { type, id } = JSON.parse(body) as { type: string; id: string }
    const signature = String(request.headers['stripe-signature'])
    const status = statusOf(received.push({ body, signature, type, eventId: id }) - 1)
    arrivals.emit('arrival')
    if (status !== null) response.writeHead(status).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const stripe = new Stripe('sk_test_none', { telemetry: false })
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    received,
    answerWith(status) {
      statusOf = status
    },
    async arrived(count) {
      while (received.length < count) await once(arrivals, 'arrival')
    },
    verify: ({ body, signature }, secret) => stripe.webhooks.constructEvent(body, signature, secret)
  }
}
