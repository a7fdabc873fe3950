import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  ExportRequestsQuery,
  LoggedRequest,
  RequestParams,
  RequestResponse,
  RequestsQuery,
  RequestsResponse
} from '@tollgate/contracts/http/requests.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { isRequestLogOn } from '@tollgate/state/processes/heartbeat.ts'
import type { FastifyInstance } from 'fastify'
import { concurrencyLimitFor } from '../background/limit-concurrency.ts'
import { principalOf } from '../callers/principal.ts'
import type { Database } from '../database/connect.ts'
import { exported, exportTimeoutMs } from '../http/export-rows.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import { exportedColumns, exportRequests, findRequest, listRequests } from './find-requests.ts'
import { toDetail, toLoggedRequest } from './logged-request.ts'
import { ofKeysWith, readFilter } from './request-filter.ts'

/** How long a page of an export waits for others. */
const pageWaitMs = 60_000

export interface RequestsOptions {
  database: Database
  redis: RedisLink
  limits: Limits
}

/** `/api/requests`: the requests of the caller's account, for people and for partners' servers. */
export async function requestRoutes(
  instance: FastifyInstance,
  { database, redis, limits }: RequestsOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database
  const onRequest = app.requireAccount
  const limit = concurrencyLimitFor(database, 'database_unavailable')

  app.get(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'listRequests',
        summary: 'Search the account’s requests, newest first',
        description:
          'All conditions must hold. A search for rare requests may take several pages: a page can have fewer requests than `limit`, or none. Go on while `next_cursor` is not null. The log shows a request some seconds after its end, and keeps it for as long as the operator has set. Refusals are sampled: `count` says for how many equal ones an entry stands.',
        parameters: [ofKeysWith],
        querystring: RequestsQuery,
        response: answers({ 200: RequestsResponse })
      }
    },
    async (request) => {
      const [page, isLogging] = await Promise.all([
        listRequests(orm, principalOf(request).accountId, request.query, toLoggedRequest),
        isRequestLogOn(redis)
      ])
      return { ...page, is_logging: isLogging }
    }
  )

  app.get(
    '/export',
    {
      onRequest,
      preHandler: createRateLimitHook(app, {
        what: 'export-requests',
        perMinute: limits.exportRequests,
        subjectOf: (request) => principalOf(request).accountId
      }),
      handlerTimeout: exportTimeoutMs,
      schema: {
        operationId: 'exportRequests',
        summary: 'Export the account’s requests',
        description:
          'The answer is a stream of any length, as NDJSON or CSV, newest first. After a failure, the connection closes before the answer is complete.',
        isLimited: true,
        parameters: [ofKeysWith],
        querystring: ExportRequestsQuery,
        response: answers({ 200: exported(LoggedRequest) as never })
      }
    },
    async (request, reply) => {
      const { format = 'ndjson', ...conditions } = request.query
      const { accountId } = principalOf(request)
      const filter = await readFilter(orm, accountId, conditions)
      return exportRequests(reply, {
        orm,
        filter,
        format,
        show: toLoggedRequest,
        columns: exportedColumns,
        limitReads: (read) => limit(read, AbortSignal.timeout(pageWaitMs), accountId)
      })
    }
  )

  app.get(
    '/:id',
    {
      onRequest,
      schema: {
        operationId: 'getRequest',
        summary: 'Get a request with the prices that gave its cost',
        description: '`id` is the `x-request-id` that the client got.',
        errors: ['not_found'],
        params: RequestParams,
        response: answers({ 200: RequestResponse })
      }
    },
    async (request) => {
      const { record, rates, key } = await findRequest(orm, request.params.id, principalOf(request).accountId)
      return { request: toDetail(record, rates), key }
    }
  )
}
