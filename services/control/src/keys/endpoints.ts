import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  CreateKeyRequest,
  CreateKeyResponse,
  type Key,
  KeyParams,
  ListKeysResponse
} from '@tollgate/contracts/http/keys.ts'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { and, desc, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../auth/session.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connect.ts'
import { keys } from '../database/schema.ts'
import type { Projector } from '../projection/projector.ts'
import { isKeyId } from './key-id.ts'
import { revokeKey } from './revoke-key.ts'
import { storeKey } from './store-key.ts'

export type KeysOptions = {
  database: Database
  catalog: Catalog
  projector: Pick<Projector, 'keyChanged'>
  clock: Clock
}

/** `/api/keys`: the keys of the caller's account. */
export async function keysEndpoints(
  instance: FastifyInstance,
  { database, catalog, projector, clock }: KeysOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database
  const onRequest = app.requireSession

  app.get('/', { onRequest, schema: { response: answers({ 200: ListKeysResponse }) } }, async (request) => {
    const rows = await orm
      .select()
      .from(keys)
      .where(and(eq(keys.accountId, callerOf(request).accountId), eq(keys.status, 'active')))
      .orderBy(desc(keys.createdAt), desc(keys.id))
    return { keys: rows.map(toListing) }
  })

  app.post(
    '/',
    { onRequest, schema: { body: CreateKeyRequest, response: answers({ 201: CreateKeyResponse }) } },
    async (request, reply) => {
      const { accountId, user } = callerOf(request)
      const { label } = request.body
      const secret = generateSecret('inference')
      const id = await storeKey(orm, catalog, { accountId, createdBy: user.id, label, secret }, clock())
      // The secret is told even if Redis does not have the key yet: it could not be told again, and the key works soon.
      await projector.keyChanged(accountId, id)
      reply.code(201)
      return { key: { id, label, value: secret } }
    }
  )

  app.delete(
    '/:id',
    { onRequest, schema: { params: KeyParams, body: EmptyRequest, response: answers({ 200: OkResponse }) } },
    async (request) => {
      const { accountId } = callerOf(request)
      const { id } = request.params
      if (!isKeyId(id) || !(await revokeKey(orm, accountId, id, clock()))) throw new ServiceError('not_found')
      // Whoever asks again learns whether the revocation is in force by now.
      if (!(await projector.keyChanged(accountId, id))) throw new ServiceError('revocation_pending')
      return { ok: true as const }
    }
  )
}

function toListing(row: typeof keys.$inferSelect): Key {
  return {
    id: row.id,
    label: row.label,
    prefix: row.prefix,
    status: row.status,
    scope: row.scope,
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used: row.lastUsedAt?.toISOString() ?? null,
    created: row.createdAt.toISOString()
  }
}
