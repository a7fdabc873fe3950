import type { StoredEndpoint } from '../store/kinds.ts'
import type { WireEvent } from '../wire.ts'
import { signPayload } from './sign.ts'

/**
 * Signs an event and sends it to an endpoint. The body is indented JSON, as Stripe's is: a receiver that parses and
 * serializes it again gets other bytes, so its signature check fails.
 *
 * @param timeoutMs the time that the endpoint has to answer
 * @param stop aborts the request
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
    // The body does not matter, but the connection is reusable only after it was read.
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}
