import { createHmac } from 'node:crypto'

/**
 * The header `Stripe-Signature` over exactly these bytes: a signature for each secret, made with the whole `whsec_…` text.
 *
 * @param timeS Unix seconds, of the machine's clock: receivers compare it with theirs
 */
export function signPayload(payload: string, secrets: readonly string[], timeS: number): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${timeS}.${payload}`).digest('hex')}`
  )
  return [`t=${timeS}`, ...signatures].join(',')
}
