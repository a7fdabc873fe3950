import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { KeyParams } from '@tollgate/contracts/http/keys.ts'
import type { FastifyRequest } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import type { Orm } from '../database/connect.ts'
import { isKeyId } from '../database/key-id.ts'
import type { keys } from '../database/schema/keys.ts'
import { findKey } from './list-keys.ts'
import { mayChangeKey } from './may-change-key.ts'

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
