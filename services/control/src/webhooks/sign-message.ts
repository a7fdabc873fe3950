import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** The specification asks for 24 to 64 bytes. */
const secretBytes = 32

/** @returns `whsec_…` */
export const newWebhookSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`

/**
 * The headers that sign a message by the Standard Webhooks specification.
 *
 * @param secrets `whsec_…`; after a rotation two, and a signature with each
 * @param at when the message is sent, at this try: receivers refuse old ones
 */
export function signMessage(
  secrets: readonly string[],
  message: { readonly id: string; readonly at: Date; readonly body: string }
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const { id, at, body } = message
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' ')
  }
}
