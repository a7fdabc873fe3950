import type { StoredEndpoint } from '../store/kinds.ts'
import type { WireEvent } from '../wire.ts'
import { signPayload } from './sign.ts'

/**
 * Sends an event to an endpoint, signed at this moment. The bytes are indented JSON, as Stripe's are: a receiver that
 * parses and writes them again has others.
 *
 * @param timeoutMs how long it may take to answer
 * @param stop ends it early
 * @returns the status; null: no answer
 */
export async function sendDelivery(
  event: WireEvent,
  { endpoint, secrets }: StoredEndpoint,
  timeoutMs: number,
  stop: AbortSignal
): Promise<number | null> {
  const payload = JSON.stringify(event, null, 2)
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signPayload(payload, secrets, Math.floor(Date.now() / 1000)),
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)'
      },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stop])
    })
    // What it says does not matter, but the connection is free again only when it has been read.
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}
