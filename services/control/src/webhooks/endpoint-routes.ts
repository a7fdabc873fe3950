import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { describeEvents } from '@tollgate/contracts/events/describe-events.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  type ChangeWebhookRequest,
  type CreateWebhookRequest,
  EventTypesResponse,
  ListWebhooksResponse,
  RotateWebhookRequest,
  WebhookParams,
  WebhookResponse,
  WebhookSecretResponse
} from '@tollgate/contracts/http/webhooks.ts'
import { eq } from 'drizzle-orm'
import { webhookEndpoints } from '../database/schema/webhooks.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { type AllowedNetworks, readWebhookUrl } from './addresses.ts'
import {
  changeEndpoint,
  createEndpoint,
  findEndpoint,
  listEndpoints,
  lockEndpoint,
  rotateEndpoint,
  toEndpoint
} from './store-endpoint.ts'
import type { WebhookArea, WebhookOptions } from './webhook-area.ts'

const defaultOverlapSeconds = 86_400

/** Adds the routes that list, create, change, rotate and delete webhook endpoints. */
export function addEndpointRoutes(app: TypedApp, options: WebhookOptions, area: WebhookArea): void {
  addEventTypes(app, area)
  addList(app, options, area)
  addCreate(app, options, area)
  addGet(app, options, area)
  addChange(app, options, area)
  addRotate(app, options, area)
  addDelete(app, options, area)
}

function addEventTypes(app: TypedApp, { prefix, noun, whose, events, onRequest }: WebhookArea): void {
  app.get(
    `${prefix}/event-types`,
    {
      onRequest,
      schema: {
        operationId: `list${noun}EventTypes`,
        summary: `List the types of events for ${whose}, with the JSON Schema of their data`,
        response: answers({ 200: EventTypesResponse })
      }
    },
    async () => ({ event_types: describeEvents(events) })
  )
}

function addList(
  app: TypedApp,
  { database, clock }: WebhookOptions,
  { prefix, noun, whose, errors, onRequest, ownerOf }: WebhookArea
): void {
  app.get(
    `${prefix}/`,
    {
      onRequest,
      schema: {
        operationId: `list${noun}Webhooks`,
        summary: `List the webhook endpoints of ${whose}`,
        errors,
        response: answers({ 200: ListWebhooksResponse })
      }
    },
    async (request) => ({
      endpoints: (await listEndpoints(database.orm, ownerOf(request))).map((row) => toEndpoint(row, clock()))
    })
  )
}

function addCreate(
  app: TypedApp,
  { database, secretKeys, allowedNetworks, clock }: WebhookOptions,
  area: WebhookArea
): void {
  const { prefix, noun, errors, onChange, preHandler, ownerOf, record } = area
  app.post(
    `${prefix}/`,
    {
      onRequest: onChange,
      preHandler,
      schema: {
        operationId: `create${noun}Webhook`,
        summary: 'Create a webhook endpoint',
        description:
          'Only this answer contains the signing secret. Each event is sent at least once, signed by the Standard Webhooks specification. The address must be https and on the internet.',
        isLimited: true,
        errors: [...errors, 'webhooks_not_set_up', 'webhook_limit_reached'],
        body: area.CreateRequest,
        response: answers({ 201: WebhookSecretResponse })
      }
    },
    async (request, reply) => {
      const accountId = ownerOf(request)
      const { url, description = '', event_types: eventTypes = null } = request.body as CreateWebhookRequest
      const values = { accountId, url: readUrl(url, allowedNetworks), description, eventTypes }
      const { endpoint, secret } = await database.orm.transaction(async (tx) => {
        const created = await createEndpoint(tx, secretKeys, values, clock())
        await record(tx, request, 'webhook.created', created.endpoint)
        return created
      })
      return reply.code(201).send({ endpoint: toEndpoint(endpoint, clock()), secret })
    }
  )
}

function addGet(
  app: TypedApp,
  { database, clock }: WebhookOptions,
  { prefix, noun, errors, onRequest, ownerOf }: WebhookArea
): void {
  app.get(
    `${prefix}/:id`,
    {
      onRequest,
      schema: {
        operationId: `get${noun}Webhook`,
        summary: 'Get a webhook endpoint',
        errors: [...errors, 'not_found'],
        params: WebhookParams,
        response: answers({ 200: WebhookResponse })
      }
    },
    async (request) => ({
      endpoint: toEndpoint(await findEndpoint(database.orm, ownerOf(request), request.params.id), clock())
    })
  )
}

function addChange(app: TypedApp, { database, allowedNetworks, clock }: WebhookOptions, area: WebhookArea): void {
  const { prefix, noun, errors, onChange, preHandler, ownerOf, record } = area
  app.patch(
    `${prefix}/:id`,
    {
      onRequest: onChange,
      preHandler,
      schema: {
        operationId: `change${noun}Webhook`,
        summary: 'Change a webhook endpoint, or turn it on or off',
        isLimited: true,
        errors: [...errors, 'not_found'],
        params: WebhookParams,
        body: area.ChangeRequest,
        response: answers({ 200: WebhookResponse })
      }
    },
    async (request) => {
      const owner = ownerOf(request)
      const { url, event_types: eventTypes, ...rest } = request.body as ChangeWebhookRequest
      const change = {
        ...rest,
        ...(url !== undefined && { url: readUrl(url, allowedNetworks) }),
        ...(eventTypes !== undefined && { eventTypes })
      }
      const endpoint = await database.orm.transaction(async (tx) => {
        const former = await lockEndpoint(tx, owner, request.params.id)
        const changed = await changeEndpoint(tx, former, change, clock())
        if (!isDeepStrictEqual(changed, former)) await record(tx, request, 'webhook.changed', changed)
        return changed
      })
      return { endpoint: toEndpoint(endpoint, clock()) }
    }
  )
}

function addRotate(app: TypedApp, { database, secretKeys, clock }: WebhookOptions, area: WebhookArea): void {
  const { prefix, noun, errors, onChange, preHandler, ownerOf, record } = area
  app.post(
    `${prefix}/:id/rotate`,
    {
      onRequest: onChange,
      preHandler,
      schema: {
        operationId: `rotate${noun}Webhook`,
        summary: 'Replace the signing secret',
        description:
          'Only this answer contains the new secret. Until the overlap ends (default one day), messages have a signature with each of both secrets.',
        isLimited: true,
        errors: [...errors, 'not_found', 'webhooks_not_set_up'],
        params: WebhookParams,
        body: RotateWebhookRequest,
        response: answers({ 200: WebhookSecretResponse })
      }
    },
    async (request) => {
      const owner = ownerOf(request)
      const { overlap_seconds: overlapSeconds = defaultOverlapSeconds } = request.body ?? {}
      const { endpoint, secret } = await database.orm.transaction(async (tx) => {
        const former = await lockEndpoint(tx, owner, request.params.id)
        const rotated = await rotateEndpoint(tx, secretKeys, former, overlapSeconds, clock())
        await record(tx, request, 'webhook.rotated', rotated.endpoint)
        return rotated
      })
      return { endpoint: toEndpoint(endpoint, clock()), secret }
    }
  )
}

function addDelete(app: TypedApp, { database }: WebhookOptions, area: WebhookArea): void {
  const { prefix, noun, errors, onChange, preHandler, ownerOf, record } = area
  app.delete(
    `${prefix}/:id`,
    {
      onRequest: onChange,
      preHandler,
      schema: {
        operationId: `delete${noun}Webhook`,
        summary: 'Delete a webhook endpoint with its log',
        isLimited: true,
        errors: [...errors, 'not_found'],
        params: WebhookParams,
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const owner = ownerOf(request)
      await database.orm.transaction(async (tx) => {
        const former = await lockEndpoint(tx, owner, request.params.id)
        await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, former.id))
        await record(tx, request, 'webhook.deleted', former)
      })
      return { ok: true as const }
    }
  )
}

/** @throws ServiceError `invalid_request` */
function readUrl(text: string, allowedNetworks: AllowedNetworks): string {
  const read = readWebhookUrl(text, allowedNetworks)
  if ('problem' in read) throw new ServiceError('invalid_request', { message: `url: ${read.problem}` })
  return read.url.href
}
