import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  ListDeliveriesQuery,
  ListDeliveriesResponse,
  WebhookDeliveryParams,
  WebhookDeliveryResponse,
  WebhookParams
} from '@tollgate/contracts/http/webhooks.ts'
import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { webhookDeliveries } from '../database/schema/webhooks.ts'
import { recordEvent } from '../events/record-event.ts'
import { countForSubject } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { listDeliveries, readDelivery, redeliver } from './read-deliveries.ts'
import { findEndpoint, lockEndpoint } from './store-endpoint.ts'
import type { WebhookArea, WebhookOptions } from './webhook-area.ts'

const dayMs = 86_400_000

/** Adds the routes that send a test, show the log of deliveries, and repeat one of them. */
export function addDeliveryRoutes(app: TypedApp, options: WebhookOptions, area: WebhookArea): void {
  const max = options.limits.webhookTestsPerDay

  /** @throws ServiceError `too_many_requests` */
  async function countTest(request: FastifyRequest): Promise<void> {
    const subject = area.ownerOf(request) ?? ''
    const retryAfter = await countForSubject(app, { what: 'webhook-tests', max, windowMs: dayMs }, subject)
    if (retryAfter !== null) throw new ServiceError('too_many_requests', { retryAfter })
  }
  const sending = { onRequest: area.onChange, preHandler: [area.preHandler, countTest] }
  addTest(app, options, area, sending)
  addList(app, options, area)
  addRedeliver(app, options, area, sending)
}

/** The hooks of the routes that send something. */
interface SendingHooks {
  readonly onRequest: WebhookArea['onChange']
  readonly preHandler: Array<WebhookArea['preHandler']>
}

function addTest(
  app: TypedApp,
  { database, clock, wake }: WebhookOptions,
  { prefix, noun, errors, ownerOf }: WebhookArea,
  sending: SendingHooks
): void {
  app.post(
    `${prefix}/:id/test`,
    {
      ...sending,
      schema: {
        operationId: `test${noun}Webhook`,
        summary: 'Send a test event',
        description:
          'Sends `webhook.test` once, also to an endpoint that is off. The log of deliveries shows what the receiver answered.',
        isLimited: true,
        errors: [...errors, 'not_found'],
        params: WebhookParams,
        body: EmptyRequest,
        response: answers({ 202: WebhookDeliveryResponse })
      }
    },
    async (request, reply) => {
      const accountId = ownerOf(request)
      const delivery = await database.orm.transaction(async (tx) => {
        const { id } = await lockEndpoint(tx, accountId, request.params.id)
        const happened = { type: 'webhook.test', data: { endpoint_id: id }, at: clock() } as const
        const event = await recordEvent(
          tx,
          accountId === null ? { ...happened, accountId } : { ...happened, accountId }
        )
        const [queued] = await tx
          .select({ id: webhookDeliveries.id })
          .from(webhookDeliveries)
          .where(and(eq(webhookDeliveries.eventId, event!.id), eq(webhookDeliveries.endpointId, id)))
        return await readDelivery(tx, id, queued!.id)
      })
      wake()
      return reply.code(202).send({ delivery })
    }
  )
}

function addList(
  app: TypedApp,
  { database: { orm } }: WebhookOptions,
  { prefix, noun, errors, onRequest, ownerOf }: WebhookArea
): void {
  app.get(
    `${prefix}/:id/deliveries`,
    {
      onRequest,
      schema: {
        operationId: `list${noun}Deliveries`,
        summary: 'List what was sent to an endpoint, newest first, with every try',
        description: 'Kept for 30 days by default. Has no text of the receiver’s answers.',
        errors: [...errors, 'not_found'],
        params: WebhookParams,
        querystring: ListDeliveriesQuery,
        response: answers({ 200: ListDeliveriesResponse })
      }
    },
    async (request) => {
      const { id } = await findEndpoint(orm, ownerOf(request), request.params.id)
      return await listDeliveries(orm, id, request.query)
    }
  )
}

function addRedeliver(
  app: TypedApp,
  { database: { orm }, clock, wake }: WebhookOptions,
  { prefix, noun, errors, ownerOf }: WebhookArea,
  sending: SendingHooks
): void {
  app.post(
    `${prefix}/:id/deliveries/:delivery_id/redeliver`,
    {
      ...sending,
      schema: {
        operationId: `redeliver${noun}Webhook`,
        summary: 'Send an event again, now and once',
        description: 'The message has the same id as before.',
        isLimited: true,
        errors: [...errors, 'not_found'],
        params: WebhookDeliveryParams,
        body: EmptyRequest,
        response: answers({ 202: WebhookDeliveryResponse })
      }
    },
    async (request, reply) => {
      const { params } = request
      const { id } = await findEndpoint(orm, ownerOf(request), params.id)
      await redeliver(orm, id, params.delivery_id, clock())
      wake()
      return reply.code(202).send({ delivery: await readDelivery(orm, id, params.delivery_id) })
    }
  )
}
