import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  type ChangeOperatorWebhookRequest,
  type ChangeWebhookRequest,
  type CreateOperatorWebhookRequest,
  type CreateWebhookRequest,
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
import type { SealKeys } from '../secrets/seal.ts'
import { type AllowedNetworks, readWebhookUrl } from './addresses.ts'
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
  const { prefix, onRequest, onChange, preHandler, ownerOf, record } = area
  const changing = { onRequest: onChange, preHandler }

  function readUrl(text: string): string {
    const read = readWebhookUrl(text, allowedNetworks)
    if ('problem' in read) throw new ServiceError('invalid_request', { message: `url: ${read.problem}` })
    return read.url.href
  }

  app.get(
    `${prefix}/`,
    { onRequest, schema: { response: answers({ 200: ListWebhooksResponse }) } },
    async (request) => ({
      endpoints: (await listEndpoints(orm, ownerOf(request))).map((row) => toEndpoint(row, clock()))
    })
  )

  app.post(
    `${prefix}/`,
    { ...changing, schema: { body: area.CreateRequest, response: answers({ 201: WebhookSecretResponse }) } },
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
    { onRequest, schema: { params: WebhookParams, response: answers({ 200: WebhookResponse }) } },
    async (request) => ({
      endpoint: toEndpoint(await findEndpoint(orm, ownerOf(request), request.params.id), clock())
    })
  )

  app.patch(
    `${prefix}/:id`,
    {
      ...changing,
      schema: { params: WebhookParams, body: area.ChangeRequest, response: answers({ 200: WebhookResponse }) }
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
    { ...changing, schema: { params: WebhookParams, body: EmptyRequest, response: answers({ 200: OkResponse }) } },
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
