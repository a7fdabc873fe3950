import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { accountEvents, operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import type {
  ChangeOperatorWebhookRequest,
  ChangeWebhookRequest,
  CreateOperatorWebhookRequest,
  CreateWebhookRequest
} from '@tollgate/contracts/http/webhooks.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Transaction } from '../database/connect.ts'
import type { Limits } from '../http/limits.ts'
import type { SealKeys } from '../secrets/seal.ts'
import type { AllowedNetworks } from './addresses.ts'
import type { EndpointOwner, StoredEndpoint } from './store-endpoint.ts'

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
