import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { KeyParams } from '@tollgate/contracts/http/keys.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { By } from '../audit/record-audit.ts'
import { principalOf } from '../callers/principal.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { isKeyId } from '../database/key-id.ts'
import type { keys } from '../database/schema/keys.ts'
import type { Projector } from '../projection/projector.ts'
import { findKey, mayChangeKey } from './list-keys.ts'

export interface KeysOptions {
  database: Database
  catalog: Catalog
  projector: Pick<Projector, 'keyChanged' | 'keyRevoked' | 'isKeyInForce'>
  redis: RedisLink
  clock: Clock
  log: Pick<FastifyBaseLogger, 'warn'>
}

/** Who changes a key, and further details for the audit log. */
export type ByWhom = By & { readonly detail: Readonly<Record<string, string>> }

export interface StoredKey {
  readonly id: string
  /** False if an earlier request with the same `Idempotency-Key` created the key, with another secret. */
  readonly isNew: boolean
}

/** The key in a request's path, if the caller may see it. @throws ServiceError `not_found` */
export async function requestedKey(
  orm: Orm,
  request: FastifyRequest<{ Params: KeyParams }>
): Promise<typeof keys.$inferSelect> {
  const caller = principalOf(request)
  const { id } = request.params
  const key = isKeyId(id) ? await findKey(orm, caller.accountId, id) : null
  // Partners' servers cannot see management keys.
  if (key === null || (caller.role === 'key' && key.scope === 'management')) throw new ServiceError('not_found')
  return key
}

/** Like {@link requestedKey}, if the caller may change the key. @throws ServiceError `not_found` or `forbidden` */
export async function changeableKey(
  orm: Orm,
  request: FastifyRequest<{ Params: KeyParams }>
): Promise<typeof keys.$inferSelect> {
  const key = await requestedKey(orm, request)
  if (!mayChangeKey(principalOf(request), key)) {
    throw new ServiceError('forbidden', {
      message: 'Only the person who created a key and the owner of the account can change it.'
    })
  }
  return key
}

/** The caller of a request behind `requireAccount`, for the audit log. */
export function byPrincipal(request: FastifyRequest, at: Date): By & { detail: { by_key?: string } } {
  const { userId, keyId } = principalOf(request)
  return { actorId: userId, ip: request.ip, at, detail: keyId === null ? {} : { by_key: keyId } }
}
