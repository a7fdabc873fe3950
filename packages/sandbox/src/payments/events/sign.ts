import { createHmac } from 'node:crypto'

/**
 * Computes the header `Stripe-Signature` of exactly these bytes: one signature per secret. The whole `whsec_…` text is the key.
 *
 * @param timeS Unix seconds of the machine's clock, because receivers compare it with theirs
 */
export function signPayload(payload: string, secrets: readonly string[], timeS: number): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${timeS}.${payload}`).digest('hex')}`
  )
  return [`t=${timeS}`, ...signatures].join(',')
}
