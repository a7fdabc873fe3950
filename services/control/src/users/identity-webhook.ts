import { hash, timingSafeEqual } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ReceivedResponse } from '@tollgate/contracts/http/billing.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { IdentityEvent } from '@tollgate/contracts/http/identity-event.ts'
import { createRareAction } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { refusePreflight } from '../http/failures.ts'
import { countWebhooks, type WebhookCounts } from '../http/webhook-counts.ts'
import type { DueUsers } from './refresh-user.ts'

/** Enough for two rows of `auth.users` with large metadata. */
const bodyLimitBytes = 1024 * 1024
/** Anybody can send requests with a wrong secret. */
const warningIntervalMs = 60_000

export interface IdentityWebhookOptions {
  dueUsers: Pick<DueUsers, 'handleReport'>
  /** Each is accepted. Without one there is no endpoint. */
  secrets: readonly string[]
  webhookCounts: WebhookCounts
}

/**
 * `POST /api/auth/webhook`: Supabase's database webhook on `auth.users` reports a changed user. Control takes only the
 * id from the body, and reads the user from the provider. 200 means that the change is in force. Supabase does not
 * repeat a failed report, so control itself tries again.
 */
export async function identityWebhook(
  instance: FastifyInstance,
  { dueUsers, secrets, webhookCounts }: IdentityWebhookOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const expected = secrets.map((secret) => digest(`Bearer ${secret}`))
  // Without a secret there is no webhook to count.
  const noteOutcome = expected.length === 0 ? () => {} : countWebhooks(app, 'identity', webhookCounts)
  const warnOfSecret = createRareAction(warningIntervalMs, (count, log: FastifyBaseLogger) =>
    log.warn(
      { count },
      'refused webhooks of the identity provider: the secret is wrong. Set IDENTITY_WEBHOOK_SECRET to the secret of the database webhook'
    )
  )
  refusePreflight(app, '/webhook')
  app.post(
    '/webhook',
    {
      bodyLimit: bodyLimitBytes,
      config: { isForProviders: true },
      onRequest: (request, _reply, done) => {
        if (expected.length === 0) return done(new ServiceError('not_found'))
        const presented = digest(request.headers.authorization ?? '')
        // All are compared, so that the time does not tell which one is right.
        const isKnown = expected.filter((one) => timingSafeEqual(presented, one)).length > 0
        if (!isKnown) {
          noteOutcome(request, 'bad_signature')
          warnOfSecret(request.log)
        }
        done(isKnown ? undefined : new ServiceError('invalid_webhook_secret'))
      },
      schema: {
        auth: 'webhookSecret',
        operationId: 'takeInUserChange',
        summary: 'Receive a change of a user from the identity provider',
        description:
          'For Supabase’s database webhook on `auth.users`. Succeeds when the change is in force, also for users who never signed in here. Uses only the id from the body, and reads the user from the provider. Answers 404 unless control has `IDENTITY_WEBHOOK_SECRET`.',
        errors: ['not_found', 'identity_unavailable', 'too_many_requests', 'change_pending'],
        body: IdentityEvent,
        response: answers({ 200: ReceivedResponse })
      }
    },
    async (request) => {
      const { record, old_record: before, type } = request.body
      const userId = record?.id ?? before?.id
      if (userId === undefined) throw new ServiceError('invalid_request', { message: 'record: missing' })
      const isOurs = await dueUsers.handleReport(userId.toLowerCase())
      if (!isOurs) noteOutcome(request, 'ignored')
      request.log.info({ userId, type, isOurs }, 'change reported by the identity provider')
      return { received: true as const }
    }
  )
}

/** Gives texts equal lengths, so that every comparison takes the same time. */
const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
