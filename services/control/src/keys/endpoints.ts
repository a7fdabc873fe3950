import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  AlreadyCreatedResponse,
  ChangeKeyRequest,
  CreateKeyRequest,
  CreateKeyResponse,
  GetKeyResponse,
  KeyParams,
  KeyResponse,
  ListKeysQuery,
  ListKeysResponse,
  RotateKeyRequest,
  RotateKeyResponse
} from '@tollgate/contracts/http/keys.ts'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import { judgingTime } from '../clocks/judging-time.ts'
import type { Database } from '../database/connect.ts'
import type { keys } from '../database/schema.ts'
import type { Projector } from '../projection/projector.ts'
import { changeKey } from './change-key.ts'
import { hasTerms, isForPeopleOnly } from './compare-terms.ts'
import { idempotencyHash } from './idempotency.ts'
import { readKeyCursor, writeKeyCursor } from './key-cursor.ts'
import { isKeyId } from './key-id.ts'
import { findKey, listKeys, toListing } from './list-keys.ts'
import { mayChange } from './may-change.ts'
import { byPrincipal, principalOf } from './require-account.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'
import { storeKey } from './store-key.ts'

const defaultPage = 100
const metadataPrefix = 'metadata.'

export type KeysOptions = {
  database: Database
  catalog: Catalog
  projector: Pick<Projector, 'keyChanged' | 'isKeyInForce'>
  redis: RedisLink
  clock: Clock
}

/** `/api/keys`: the keys of the caller's account, for people and for partners' servers. */
export async function keysEndpoints(
  instance: FastifyInstance,
  { database, catalog, projector, redis, clock }: KeysOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database
  const onRequest = app.requireAccount
  const created = answers({ 201: CreateKeyResponse, 409: AlreadyCreatedResponse })

  app.get(
    '/',
    { onRequest, schema: { querystring: ListKeysQuery, response: answers({ 200: ListKeysResponse }) } },
    async (request) => {
      const caller = principalOf(request)
      const { limit, cursor, include_revoked, ...rest } = request.query
      const after = cursor === undefined ? null : readKeyCursor(cursor)
      if (cursor !== undefined && after === null) throw refused('cursor: not one of this list')
      const filter = {
        metadata: Object.fromEntries(
          Object.entries(rest).map(([name, value]) => [name.slice(metadataPrefix.length), String(value)])
        ),
        withRevoked: include_revoked === 'true',
        scope: caller.role === 'key' ? ('inference' as const) : null
      }
      const page = { after, limit: limit === undefined ? defaultPage : Number(limit) }
      const { keys, next } = await listKeys(orm, caller, filter, page, clock())
      return { keys, next_cursor: next === null ? null : writeKeyCursor(next) }
    }
  )

  app.post('/', { onRequest, schema: { body: CreateKeyRequest, response: created } }, async (request, reply) => {
    const { accountId, role } = principalOf(request)
    const { label, scope = 'inference' } = request.body
    // A management key has power over every key of the account, so it comes from its owner in person.
    if (scope === 'management' && role !== 'owner') throw new ServiceError('forbidden')
    const secret = generateSecret(scope)
    const idempotency = idempotencyOf(request, 'create')
    const by = byPrincipal(request, clock())
    const { id, isNew } = await storeKey(
      orm,
      catalog,
      { accountId, scope, secret, asked: request.body, idempotency },
      by
    )
    if (!isNew) return reply.code(409).send(alreadyCreated(id, request.server.docsUrl))
    // The secret is told even if Redis does not have the key yet: it could not be told again, and the key works soon.
    await projector.keyChanged(accountId, id)
    return reply.code(201).send({ key: { id, label, value: secret } })
  })

  app.get(
    '/:id',
    { onRequest, schema: { params: KeyParams, response: answers({ 200: GetKeyResponse }) } },
    async (request) => {
      // The row comes first: what is in force is then this state of the key or a later one.
      const key = await keyOf(request)
      const isInForce = await projector.isKeyInForce(key.accountId, key.id)
      return { key: { ...toListing(key, principalOf(request)), in_force: isInForce } }
    }
  )

  app.patch(
    '/:id',
    { onRequest, schema: { params: KeyParams, body: ChangeKeyRequest, response: answers({ 200: KeyResponse }) } },
    async (request) => {
      const { body: asked } = request
      const caller = principalOf(request)
      const key = await changeableKeyOf(request)
      if (key.status === 'revoked') throw new ServiceError('not_found')
      const { accountId, id } = key
      const row = hasTerms(key, asked)
        ? key
        : await changeKey(orm, catalog, { accountId, id, asked }, byPrincipal(request, clock()))
      // A repeated call changes nothing, and learns here whether the first is in force by now.
      const isInForce = await projector.keyChanged(accountId, id)
      if (!isInForce && !isForPeopleOnly(asked)) throw new ServiceError('change_pending')
      return { key: toListing(row, caller) }
    }
  )

  app.post(
    '/:id/rotate',
    {
      onRequest,
      schema: {
        params: KeyParams,
        body: RotateKeyRequest,
        response: answers({ 200: RotateKeyResponse, 202: RotateKeyResponse, 409: AlreadyCreatedResponse })
      }
    },
    async (request, reply) => {
      const { accountId, id, scope, label } = await changeableKeyOf(request)
      const secret = generateSecret(scope)
      const graceSeconds = request.body?.grace_seconds ?? 0
      const idempotency = idempotencyOf(request, `rotate ${id}`)
      const by = byPrincipal(request, clock())
      const graceFrom = await judgingTime(orm, redis, accountId, scope)
      const rotation = { accountId, id, secret, graceSeconds, graceFrom, idempotency }
      const { isNew } = await rotateKey(orm, catalog, rotation, by)
      if (!isNew) return reply.code(409).send(alreadyCreated(id, request.server.docsUrl))
      // The secret is told even if Redis does not have it yet: it could not be told again.
      const isInForce = await projector.keyChanged(accountId, id)
      return reply.code(isInForce ? 200 : 202).send({ key: { id, label, value: secret, in_force: isInForce } })
    }
  )

  app.delete(
    '/:id',
    { onRequest, schema: { params: KeyParams, body: EmptyRequest, response: answers({ 200: OkResponse }) } },
    async (request) => {
      const { accountId, id } = await changeableKeyOf(request)
      if (!(await revokeKey(orm, accountId, id, byPrincipal(request, clock())))) throw new ServiceError('not_found')
      // Whoever asks again learns whether the revocation is in force by now.
      if (!(await projector.keyChanged(accountId, id))) throw new ServiceError('revocation_pending')
      return { ok: true as const }
    }
  )

  /** The key that a request names, if its caller may see it. @throws ServiceError `not_found` */
  async function keyOf(request: FastifyRequest<{ Params: KeyParams }>): Promise<typeof keys.$inferSelect> {
    const caller = principalOf(request)
    const { id } = request.params
    const key = isKeyId(id) ? await findKey(orm, caller.accountId, id) : null
    // To a partner's server, management keys are not there.
    if (key === null || (caller.role === 'key' && key.scope === 'management')) throw new ServiceError('not_found')
    return key
  }

  /** As {@link keyOf}, if the caller may change it. @throws ServiceError `not_found` or `forbidden` */
  async function changeableKeyOf(request: FastifyRequest<{ Params: KeyParams }>): Promise<typeof keys.$inferSelect> {
    const key = await keyOf(request)
    if (!mayChange(principalOf(request), key)) {
      throw new ServiceError('forbidden', {
        message: 'Only who made a key and the owner of the account may change it.'
      })
    }
    return key
  }
}

/** @throws ServiceError `invalid_request` */
function idempotencyOf({ headers }: FastifyRequest, operation: string): string | null {
  const header = headers['idempotency-key']
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw refused('Idempotency-Key: 1 to 255 printable characters')
  }
  return idempotencyHash(operation, header)
}

const alreadyCreated = (id: string, docsUrl: string | null) => ({
  ...new ServiceError('already_created').toBody(docsUrl),
  key: { id }
})

const refused = (message: string) => new ServiceError('invalid_request', { message })
