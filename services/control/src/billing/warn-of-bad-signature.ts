import { createRareAction } from '@tollgate/service/background/rare.ts'
import type { FastifyBaseLogger } from 'fastify'
import { signatureToleranceS } from './webhook-event.ts'

/** Anybody can send such requests. */
const intervalMs = 60_000

/**
 * Makes a function that warns of webhooks with a wrong signature, at most once a minute, with the likely cause.
 *
 * @returns a function of the `Stripe-Signature` header; null if it has no form of one
 */
export function createSignatureWarning(): (
  log: Pick<FastifyBaseLogger, 'warn'>,
  signature: string | null,
  now: Date
) => void {
  return createRareAction(
    intervalMs,
    (count, log: Pick<FastifyBaseLogger, 'warn'>, signature: string | null, now: Date) =>
      log.warn({ count }, `refused webhooks of the payment provider: ${likelyCause(signature, now)}`)
  )
}

function likelyCause(signature: string | null, now: Date): string {
  const signedAt = /^t=(\d{1,12}),/.exec(signature ?? '')?.[1]
  if (signedAt === undefined) {
    return 'they have no signature. Somebody else sent them, or your proxy removes the header Stripe-Signature'
  }
  const ageS = Math.round(now.getTime() / 1000 - Number(signedAt))
  if (Math.abs(ageS) > signatureToleranceS) {
    return `their signature is ${Math.abs(ageS)} s ${ageS > 0 ? 'old' : 'ahead'}. Check the clock of this machine`
  }
  return "the signature is wrong. Set STRIPE_WEBHOOK_SECRET to this endpoint's signing secret (dashboard.stripe.com/webhooks)"
}
