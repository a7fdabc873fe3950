import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { accountEvents } from '@tollgate/contracts/events/event-types.ts'
import { ChangeWebhookRequest, CreateWebhookRequest } from '@tollgate/contracts/http/webhooks.ts'
import type { FastifyInstance } from 'fastify'
import { recordAudit } from '../audit/record-audit.ts'
import { principalOf } from '../callers/principal.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import { byPrincipal } from '../keys/key-context.ts'
import { addDeliveryRoutes } from './delivery-routes.ts'
import { addEndpointRoutes } from './endpoint-routes.ts'
import type { WebhookArea, WebhookOptions } from './webhook-area.ts'

/** `/api/webhooks`: the webhook endpoints of the caller's account, for its owner and for partners' servers. */
export async function webhookRoutes(instance: FastifyInstance, options: WebhookOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const onRequest = app.requireAccount
  const area: WebhookArea = {
    prefix: '',
    noun: '',
    whose: 'the account',
    errors: ['forbidden'],
    events: accountEvents,
    onRequest,
    onChange: [onRequest],
    preHandler: createRateLimitHook(app, {
      what: 'change-webhooks',
      perMinute: options.limits.changeWebhooks,
      subjectOf: (request) => principalOf(request).accountId
    }),
    ownerOf(request) {
      const { accountId, role } = principalOf(request)
      if (role === 'seat') throw new ServiceError('forbidden')
      return accountId
    },
    async record(tx, request, action, { id, url }) {
      const { detail, ...by } = byPrincipal(request, options.clock())
      const { accountId } = principalOf(request)
      await recordAudit(tx, { accountId, ...by, action, subject: id, detail: { host: new URL(url).host, ...detail } })
    },
    CreateRequest: CreateWebhookRequest,
    ChangeRequest: ChangeWebhookRequest
  }
  addEndpointRoutes(app, options, area)
  addDeliveryRoutes(app, options, area)
}
