import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { GetKeyResponse, KeyParams, ListKeysQuery, ListKeysResponse } from '@tollgate/contracts/http/keys.ts'
import type { FastifyInstance } from 'fastify'
import { readKeyBudgets } from '../budgets/read-use.ts'
import { principalOf } from '../callers/principal.ts'
import { metadataFilter, readMetadataFilter } from '../http/query.ts'
import { changeRoute } from './change-key.ts'
import { createRoute } from './create-key.ts'
import { type KeysOptions, requestedKey } from './key-context.ts'
import { readKeyCursor, writeKeyCursor } from './key-search.ts'
import { describeKey, listKeys } from './list-keys.ts'
import { revokeRoute } from './revoke-key.ts'
import { endGraceRoute, rotateRoute } from './rotate-key.ts'
import { topUpRoute } from './top-up-key.ts'

const defaultPage = 100
const badCursor = 'cursor: not valid for this list. Use next_cursor of the previous page.'

/** `/api/keys`: the keys of the caller's account, for people and for partners' servers. */
export async function keyRoutes(instance: FastifyInstance, options: KeysOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = options.database
  const { projector, clock } = options
  const onRequest = app.requireAccount

  app.get(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'listKeys',
        summary: 'List the keys of the account, newest first',
        parameters: [
          metadataFilter('`metadata.<name>=<value>` lists only the keys with this pair. It can be given several times.')
        ],
        querystring: ListKeysQuery,
        response: answers({ 200: ListKeysResponse })
      }
    },
    async (request) => {
      const caller = principalOf(request)
      const { limit, cursor, include_revoked, q, sort, spend } = request.query
      const after = cursor === undefined ? null : readKeyCursor(cursor)
      if (cursor !== undefined && after === null) throw refused(badCursor)
      const filter = {
        metadata: readMetadataFilter(request.query),
        withRevoked: include_revoked === 'true',
        scope: caller.role === 'key' ? ('inference' as const) : null,
        text: q ?? null,
        order: sort ?? 'newest',
        withSpend: spend === 'true'
      }
      const page = { after, limit: limit === undefined ? defaultPage : Number(limit) }
      const listed = await listKeys(orm, caller, filter, page, clock())
      if (listed === null) throw refused(badCursor)
      return { keys: listed.keys, next_cursor: listed.next === null ? null : writeKeyCursor(listed.next) }
    }
  )

  app.get(
    '/:id',
    {
      onRequest,
      schema: {
        operationId: 'getKey',
        summary: 'Get a key, and whether its last change is in force',
        description:
          '`in_force` is true when all gateways use the current state of the key. It is false while Redis is unavailable. Also returns revoked keys.',
        errors: ['not_found'],
        params: KeyParams,
        response: answers({ 200: GetKeyResponse })
      }
    },
    async (request) => {
      // The row is read first, so that the state in force is this or a later one.
      const key = await requestedKey(orm, request)
      const isInForce = await projector.isKeyInForce(key.accountId, key.id)
      const now = clock()
      const [described, budgets] = await Promise.all([
        describeKey(orm, principalOf(request), key, now),
        readKeyBudgets({ orm, redis: options.redis }, key, now)
      ])
      return { key: { ...described, budgets, in_force: isInForce } }
    }
  )

  createRoute(app, options)
  rotateRoute(app, options)
  changeRoute(app, options)
  topUpRoute(app, options)
  endGraceRoute(app, options)
  revokeRoute(app, options)
}

const refused = (message: string) => new ServiceError('invalid_request', { message })
