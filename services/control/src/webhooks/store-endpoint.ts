import { randomUUID } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { webhookEndpoints } from '../database/schema/webhooks.ts'
import { isUuid } from '../http/query.ts'
import { presentPrefix, type SealKeys, seal, unseal } from '../secrets/seal.ts'
import { newWebhookSecret } from './send-message.ts'
import { disableEndpoint } from './store-attempt.ts'

/** Endpoints of an account, or of the operators: each event costs a delivery to each. */
const maxEndpoints = 20

export type StoredEndpoint = typeof webhookEndpoints.$inferSelect

/** Whose endpoints: an account's; null for the operators'. */
export type EndpointOwner = string | null

const isOf = (owner: EndpointOwner): SQL =>
  owner === null ? isNull(webhookEndpoints.accountId) : eq(webhookEndpoints.accountId, owner)

export function listEndpoints(orm: Orm, owner: EndpointOwner): Promise<StoredEndpoint[]> {
  return orm
    .select()
    .from(webhookEndpoints)
    .where(isOf(owner))
    .orderBy(asc(webhookEndpoints.createdAt), webhookEndpoints.id)
}

/** @throws ServiceError `not_found`, also for an endpoint of somebody else */
export async function findEndpoint(orm: Orm, owner: EndpointOwner, id: string): Promise<StoredEndpoint> {
  if (!isUuid(id)) throw new ServiceError('not_found')
  const [row] = await orm
    .select()
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.id, id), isOf(owner)))
  if (row === undefined) throw new ServiceError('not_found')
  return row
}

/** Locks an endpoint. @throws as {@link findEndpoint} */
export async function lockEndpoint(tx: Transaction, owner: EndpointOwner, id: string): Promise<StoredEndpoint> {
  if (!isUuid(id)) throw new ServiceError('not_found')
  const [row] = await tx
    .select()
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.id, id), isOf(owner)))
    .for('no key update')
  if (row === undefined) throw new ServiceError('not_found')
  return row
}

/** @returns the endpoint, and its secret @throws ServiceError `webhooks_not_set_up` or `webhook_limit_reached` */
export async function createEndpoint(
  tx: Transaction,
  keys: SealKeys,
  input: Pick<StoredEndpoint, 'accountId' | 'url' | 'description' | 'eventTypes'>,
  now: Date
): Promise<{ endpoint: StoredEndpoint; secret: string }> {
  if (keys.length === 0) throw new ServiceError('webhooks_not_set_up')
  const { accountId } = input
  // Of concurrent creations, none exceeds the limit. Operators have no row to lock, and are few.
  if (accountId !== null) {
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('no key update')
  }
  if ((await tx.$count(webhookEndpoints, isOf(accountId))) >= maxEndpoints) {
    throw new ServiceError('webhook_limit_reached')
  }
  const id = randomUUID()
  const secret = newWebhookSecret()
  const [endpoint] = await tx
    .insert(webhookEndpoints)
    .values({ id, ...input, secret: seal(keys, id, secret), createdAt: now })
    .returning()
  return { endpoint: endpoint!, secret }
}

export interface EndpointChange {
  readonly url?: string
  readonly description?: string
  readonly eventTypes?: string[] | null
  readonly enabled?: boolean
}

/** Changes an endpoint that the caller has locked. */
export async function changeEndpoint(
  tx: Transaction,
  endpoint: StoredEndpoint,
  { enabled, ...members }: EndpointChange,
  now: Date
): Promise<StoredEndpoint> {
  if (enabled === false) await disableEndpoint(tx, endpoint, 'turned_off', now)
  const [changed] = await tx
    .update(webhookEndpoints)
    .set({
      ...members,
      ...(enabled === true && { disabledReason: null, disabledAt: null, failingSince: null }),
      // An update needs a column.
      description: members.description ?? endpoint.description
    })
    .where(eq(webhookEndpoints.id, endpoint.id))
    .returning()
  return changed!
}

/**
 * Gives an endpoint that the caller has locked a new secret. Messages are signed with the old one, too, until the
 * overlap ends; one that is even older ends at once.
 *
 * @throws ServiceError `webhooks_not_set_up`
 */
export async function rotateEndpoint(
  tx: Transaction,
  keys: SealKeys,
  { id, secret: old }: StoredEndpoint,
  overlapSeconds: number,
  now: Date
): Promise<{ endpoint: StoredEndpoint; secret: string }> {
  if (keys.length === 0) throw new ServiceError('webhooks_not_set_up')
  const secret = newWebhookSecret()
  const isOverlapping = overlapSeconds > 0
  const [endpoint] = await tx
    .update(webhookEndpoints)
    .set({
      secret: seal(keys, id, secret),
      previousSecret: isOverlapping ? old : null,
      previousSecretUntil: isOverlapping ? new Date(now.getTime() + overlapSeconds * 1000) : null
    })
    .where(eq(webhookEndpoints.id, id))
    .returning()
  return { endpoint: endpoint!, secret }
}

/** Deletes all endpoints of an account, with their deliveries. */
export async function deleteEndpoints(tx: Transaction, accountId: string): Promise<void> {
  await tx.delete(webhookEndpoints).where(isOf(accountId))
}

/** An endpoint without its secrets. */
export function toEndpoint(row: StoredEndpoint, now: Date): WebhookEndpoint {
  const { previousSecretUntil: until } = row
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    event_types: row.eventTypes,
    enabled: row.disabledReason === null,
    disabled_reason: row.disabledReason,
    disabled_at: row.disabledAt?.toISOString() ?? null,
    failing_since: row.failingSince?.toISOString() ?? null,
    old_secret_until: until !== null && until > now ? until.toISOString() : null,
    created: row.createdAt.toISOString()
  }
}

/** Secrets that another than the present key encrypted. */
const sealedWithout = (prefix: string): SQL =>
  sql`not starts_with(${webhookEndpoints.secret}, ${prefix})
    or (${webhookEndpoints.previousSecret} is not null and not starts_with(${webhookEndpoints.previousSecret}, ${prefix}))`

/**
 * Encrypts secrets with the present key that an earlier one encrypted, so that the earlier one can be removed. Any
 * number of replicas may do this at once.
 *
 * @returns how many endpoints have new texts, and how many have secrets that no key decrypts
 */
export async function resealSecrets(orm: Orm, keys: SealKeys): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 }
  if (keys.length === 0) return counts
  const old = await orm
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(sealedWithout(presentPrefix(keys)))
  for (const { id } of old) counts[(await resealOne(orm, keys, id)) ? 'resealed' : 'unreadable']++
  return counts
}

/** @returns false if no key decrypts one of the secrets; then nothing changes */
function resealOne(orm: Orm, keys: SealKeys, id: string): Promise<boolean> {
  const isIt = eq(webhookEndpoints.id, id)
  return orm.transaction(async (tx) => {
    const [endpoint] = await tx.select().from(webhookEndpoints).where(isIt).for('no key update')
    if (endpoint === undefined) return true
    const secret = unseal(keys, id, endpoint.secret)
    const previous = endpoint.previousSecret === null ? null : unseal(keys, id, endpoint.previousSecret)
    if (secret === null || (previous === null && endpoint.previousSecret !== null)) return false
    const previousSecret = previous === null ? null : seal(keys, id, previous)
    await tx
      .update(webhookEndpoints)
      .set({ secret: seal(keys, id, secret), previousSecret })
      .where(isIt)
    return true
  })
}
