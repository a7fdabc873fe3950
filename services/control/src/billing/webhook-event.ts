import Stripe from 'stripe'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { BillingEvent } from './subscription-sync.ts'

/** Seconds that a signature holds. */
const tolerance = 300

/** What happens to customers and may change their plan. */
export const handledEvents: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.payment_failed'
])

const Id = Type.String({ minLength: 1, maxLength: 255 })
/** All that is read of an event, whatever version of the provider's API wrote it. */
const SignedEvent = Type.Object({
  id: Id,
  type: Type.String({ maxLength: 255 }),
  data: Type.Object({
    object: Type.Object({ customer: Type.Optional(Type.Union([Id, Type.Object({ id: Id }), Type.Null()])) })
  })
})

/** Whether a header can be the provider's at all: all others are refused before the body is read. */
export function isSignature(header: unknown): header is string {
  return typeof header === 'string' && header.length < 4096 && /^t=\d{1,12},(?:.*,)?v1=[0-9a-f]{64}(?:,|$)/.test(header)
}

/**
 * Reads an event that the payment provider has signed.
 *
 * @param body as it came, to the byte
 * @param secrets of which one has to fit: there are several while one is replaced
 * @returns `ours` null for an event that is not about a customer's subscription; null for whatever is not signed by the
 * provider, or was five minutes ago
 */
export function readEvent(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  now: Date
): { ours: BillingEvent | null } | null {
  const event = secrets.map((secret) => verify(body, signature, secret, now)).find((found) => found !== null)
  if (event === undefined) return null
  if (!Value.Check(SignedEvent, event)) return { ours: null }
  const { id, type, data } = event
  const { customer = null } = data.object
  if (customer === null || !handledEvents.has(type)) return { ours: null }
  return { ours: { id, type, customerId: typeof customer === 'string' ? customer : customer.id } }
}

/** The client throws errors of many kinds for what is not signed, and for what is signed and no event. */
function verify(body: Buffer, signature: string, secret: string, now: Date): unknown {
  try {
    return Stripe.webhooks.constructEvent(body, signature, secret, tolerance, undefined, now.getTime())
  } catch {
    return null
  }
}
