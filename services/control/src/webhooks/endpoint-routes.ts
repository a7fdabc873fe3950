import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { describeEvents } from '@tollgate/contracts/events/describe-events.ts'
import type { accountEvents, operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  type ChangeOperatorWebhookRequest,
  type ChangeWebhookRequest,
  type CreateOperatorWebhookRequest,
  type CreateWebhookRequest,
  EventTypesResponse,
  ListWebhooksResponse,
  RotateWebhookRequest,
  WebhookParams,
  WebhookResponse,
  WebhookSecretResponse
} from '@tollgate/contracts/http/webhooks.ts'
import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { webhookEndpoints } from '../database/schema/webhooks.ts'
import type { Limits } from '../http/limits.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { type AllowedNetworks, readWebhookUrl } from './addresses.ts'
import type { SealKeys } from './seal.ts'
import {
  changeEndpoint,
  createEndpoint,
  type EndpointOwner,
  findEndpoint,
  listEndpoints,
  lockEndpoint,
  rotateEndpoint,
  type StoredEndpoint,
  toEndpoint
} from './store-endpoint.ts'

const defaultOverlapSeconds = 86_400

export type WebhookAction = 'webhook.created' | 'webhook.changed' | 'webhook.rotated' | 'webhook.deleted'

export interface WebhookOptions {
  readonly database: Database
  readonly secretKeys: SealKeys
  readonly allowedNetworks: AllowedNetworks
  readonly clock: Clock
  /** Looks for due deliveries now. */
  readonly wake: () => void
  readonly limits: Pick<Limits, 'changeWebhooks' | 'webhookTestsPerDay'>
}

/** The same routes are there for accounts and for operators. */
export interface WebhookArea {
  /** For instance `/webhooks`; empty for the root of the instance. */
  readonly prefix: string
  /** In the names of operations. */
  readonly noun: '' | 'Operator'
  readonly whose: 'the account' | 'the operators'
  readonly events: typeof accountEvents | typeof operatorEvents
  /** Of `ownerOf`. */
  readonly errors: readonly ErrorCode[]
  readonly onRequest: (request: FastifyRequest) => Promise<void>
  /** In place of `onRequest`, before changes, tests and repeats. */
  readonly onChange: Array<(request: FastifyRequest) => Promise<void>>
  /** Limits changes, tests and repeats. */
  readonly preHandler: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** @throws ServiceError `forbidden` */
  readonly ownerOf: (request: FastifyRequest) => EndpointOwner
  /** Records a change in the log of the area. */
  readonly record: (
    tx: Transaction,
    request: FastifyRequest,
    action: WebhookAction,
    row: StoredEndpoint
  ) => Promise<void>
  readonly CreateRequest: typeof CreateWebhookRequest | typeof CreateOperatorWebhookRequest
  readonly ChangeRequest: typeof ChangeWebhookRequest | typeof ChangeOperatorWebhookRequest
}

/** Adds the routes that list, create, change, rotate and delete webhook endpoints. */
export function addEndpointRoutes(app: TypedApp, options: WebhookOptions, area: WebhookArea): void {
  const { database, secretKeys, allowedNetworks, clock } = options
  const { orm } = database
  const { prefix, noun, whose, events, errors, onRequest, onChange, preHandler, ownerOf, record } = area
  const changing = { onRequest: onChange, preHandler }

  function readUrl(text: string): string {
    const read = readWebhookUrl(text, allowedNetworks)
    if ('problem' in read) throw new ServiceError('invalid_request', { message: `url: ${read.problem}` })
    return read.url.href
  }

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
      endpoints: (await listEndpoints(orm, ownerOf(request))).map((row) => toEndpoint(row, clock()))
    })
  )

  app.post(
    `${prefix}/`,
    {
      ...changing,
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
      const asked = { accountId, url: readUrl(url), description, eventTypes }
      const { endpoint, secret } = await orm.transaction(async (tx) => {
        const created = await createEndpoint(tx, secretKeys, asked, clock())
        await record(tx, request, 'webhook.created', created.endpoint)
        return created
      })
      return reply.code(201).send({ endpoint: toEndpoint(endpoint, clock()), secret })
    }
  )

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
      endpoint: toEndpoint(await findEndpoint(orm, ownerOf(request), request.params.id), clock())
    })
  )

  app.patch(
    `${prefix}/:id`,
    {
      ...changing,
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
        ...(url !== undefined && { url: readUrl(url) }),
        ...(eventTypes !== undefined && { eventTypes })
      }
      const endpoint = await orm.transaction(async (tx) => {
        const found = await lockEndpoint(tx, owner, request.params.id)
        const changed = await changeEndpoint(tx, found, change, clock())
        if (!isDeepStrictEqual(changed, found)) await record(tx, request, 'webhook.changed', changed)
        return changed
      })
      return { endpoint: toEndpoint(endpoint, clock()) }
    }
  )

  app.post(
    `${prefix}/:id/rotate`,
    {
      ...changing,
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
      const { endpoint, secret } = await orm.transaction(async (tx) => {
        const found = await lockEndpoint(tx, owner, request.params.id)
        const rotated = await rotateEndpoint(tx, secretKeys, found, overlapSeconds, clock())
        await record(tx, request, 'webhook.rotated', rotated.endpoint)
        return rotated
      })
      return { endpoint: toEndpoint(endpoint, clock()), secret }
    }
  )

  app.delete(
    `${prefix}/:id`,
    {
      ...changing,
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
      await orm.transaction(async (tx) => {
        const found = await lockEndpoint(tx, owner, request.params.id)
        await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, found.id))
        await record(tx, request, 'webhook.deleted', found)
      })
      return { ok: true as const }
    }
  )
}
