import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ReceivedResponse } from '@tollgate/contracts/http/billing.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { createRareAction } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import { refusePreflight } from '../http/failures.ts'
import { countWebhooks, type WebhookCounts } from '../http/webhook-counts.ts'
import type { CustomerRefresher } from './refresh-customer.ts'
import { isSignature, readEvent, signatureToleranceS } from './webhook-event.ts'

/** Anybody can send such requests. */
const intervalMs = 60_000

/**
 * Makes a function that warns of webhooks with a wrong signature, at most once a minute, with the likely cause.
 *
 * @returns a function of the `Stripe-Signature` header; null if it has no form of one
 */
function createSignatureWarning(): (log: Pick<FastifyBaseLogger, 'warn'>, signature: string | null, now: Date) => void {
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

/** Larger than any event. */
const bodyLimitBytes = 2 * 1024 * 1024

export interface WebhookOptions {
  customerRefresher: CustomerRefresher
  webhookSecrets: readonly string[]
  webhookCounts: WebhookCounts
  clock: Clock
}

/**
 * `POST /api/billing/webhook`: events of the payment provider. A signed event gets 200 once its consequences are
 * committed. Otherwise it gets 5xx, so that the provider sends it again.
 */
export async function webhook(instance: FastifyInstance, options: WebhookOptions): Promise<void> {
  const { customerRefresher, webhookSecrets, webhookCounts, clock } = options
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  // The signature covers the raw bytes, whatever the content type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  const noteOutcome = countWebhooks(app, 'payments', webhookCounts)
  const warnOfSignature = createSignatureWarning()
  /** @param signature null if the header has no form of one */
  function refuseSignature(request: FastifyRequest, signature: string | null): ServiceError {
    noteOutcome(request, 'bad_signature')
    warnOfSignature(request.log, signature, clock())
    return new ServiceError('invalid_signature')
  }

  refusePreflight(app, '/webhook')
  app.post(
    '/webhook',
    {
      bodyLimit: bodyLimitBytes,
      config: { isForProviders: true },
      onRequest: (request, _reply, done) => {
        done(isSignature(request.headers['stripe-signature']) ? undefined : refuseSignature(request, null))
      },
      schema: {
        auth: 'signature',
        operationId: 'takeInEvent',
        summary: 'Receive a signed event from the payment provider',
        description:
          'Succeeds when all consequences are stored, also for repeated or unrelated events. Control derives the plan from the provider’s current state, never from the event.',
        errors: ['invalid_signature', 'payments_unavailable'],
        response: answers({ 200: ReceivedResponse })
      }
    },
    async (request) => {
      const signature = request.headers['stripe-signature'] as string
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const event = readEvent(body, signature, webhookSecrets, clock())
      if (event === null) throw refuseSignature(request, signature)
      if (event.ours === null) noteOutcome(request, 'ignored')
      else {
        const { id, type } = event.ours
        const isNew = await customerRefresher.handleEvent(event.ours)
        if (!isNew) noteOutcome(request, 'ignored')
        request.log.info({ eventId: id, type, isNew }, 'event of the payment provider')
      }
      return { received: true as const }
    }
  )
}
