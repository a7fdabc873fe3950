import Stripe from 'stripe'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { BillingEvent } from './refresh-customer.ts'

/** Seconds for which a signature is valid. */
export const signatureToleranceS = 300

/** Events that may change a customer's plan. */
export const handledEvents: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.payment_failed'
])

const Id = Type.String({ minLength: 1, maxLength: 255 })
/** The members of an event that control reads; all versions of the provider's API have them. */
const SignedEvent = Type.Object({
  id: Id,
  type: Type.String({ maxLength: 255 }),
  data: Type.Object({
    object: Type.Object({
      id: Type.Optional(Type.Unknown()),
      customer: Type.Optional(Type.Union([Id, Type.Object({ id: Id }), Type.Null()]))
    })
  })
})

/** Whether a header has the form of a signature. Other requests are refused before their body is read. */
export function isSignature(header: unknown): header is string {
  return typeof header === 'string' && header.length < 4096 && /^t=\d{1,12},(?:.*,)?v1=[0-9a-f]{64}(?:,|$)/.test(header)
}

/**
 * Reads an event that the payment provider signed.
 *
 * @param body the received bytes
 * @param secrets one of them must match; there are two while a secret is being replaced
 * @returns null if the signature is wrong or older than five minutes; `ours` is null for an event that cannot change a
 *   plan
 */
export function readEvent(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  now: Date
): { ours: BillingEvent | null } | null {
  const event = secrets.map((secret) => verify(body, signature, secret, now)).find((result) => result !== null)
  if (event === undefined) return null
  if (!Value.Check(SignedEvent, event)) return { ours: null }
  const { id, type, data } = event
  const { customer = null, id: objectId } = data.object
  if (customer === null || !handledEvents.has(type)) return { ours: null }
  const invoiceId = type === 'invoice.payment_failed' && Value.Check(Id, objectId) ? objectId : null
  return { ours: { id, type, customerId: typeof customer === 'string' ? customer : customer.id, invoiceId } }
}

/** The client throws many kinds of errors, for wrong signatures and for bodies that are not an event. */
function verify(body: Buffer, signature: string, secret: string, now: Date): unknown {
  try {
    return Stripe.webhooks.constructEvent(body, signature, secret, signatureToleranceS, undefined, now.getTime())
  } catch {
    return null
  }
}
