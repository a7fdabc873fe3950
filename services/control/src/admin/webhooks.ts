import { operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import { ChangeOperatorWebhookRequest, CreateOperatorWebhookRequest } from '@tollgate/contracts/http/webhooks.ts'
import { callerOf } from '../callers/session.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { addDeliveryRoutes } from '../webhooks/delivery-routes.ts'
import { addEndpointRoutes, type WebhookArea } from '../webhooks/endpoint-routes.ts'
import type { AdminContext } from './admin-context.ts'
import { byOperator, recordAct } from './record-act.ts'

/** `/webhooks`: the operators' own webhook endpoints, which get the events for operators. */
export function webhooks(app: TypedApp, { webhooks: options, limits, clock }: AdminContext): void {
  const onRequest = app.requireOperator
  const area: WebhookArea = {
    prefix: '/webhooks',
    noun: 'Operator',
    whose: 'the operators',
    errors: [],
    events: operatorEvents,
    onRequest,
    onChange: [app.requireMoney, app.requireOperatorConfirmation],
    preHandler: createRateLimitHook(app, {
      what: 'change-operator-webhooks',
      perMinute: limits.changeWebhooks,
      subjectOf: (request) => callerOf(request).user.id
    }),
    ownerOf: () => null,
    async record(tx, request, action, { id, url }) {
      const reason = 'An operator set up webhooks.'
      await recordAct(tx, byOperator(request, clock()), {
        action,
        accountId: null,
        subject: id,
        reason,
        detail: { host: new URL(url).host }
      })
    },
    CreateRequest: CreateOperatorWebhookRequest,
    ChangeRequest: ChangeOperatorWebhookRequest
  }
  addEndpointRoutes(app, options, area)
  addDeliveryRoutes(app, options, area)
}
