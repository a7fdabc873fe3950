import { answers } from '@tollgate/contracts/http/error.ts'
import {
  AdminExportRequestsQuery,
  AdminLoggedRequest,
  AdminRequestResponse,
  AdminRequestsQuery,
  AdminRequestsResponse,
  RequestParams
} from '@tollgate/contracts/http/requests.ts'
import { exported, exportTimeoutMs } from '../http/export-rows.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { exportRequests, findRequest, listRequests } from '../requests/find-requests.ts'
import { toAdminDetail, toAdminRequest } from '../requests/logged-request.ts'
import { ofKeysWith, readFilter } from '../requests/request-filter.ts'
import type { AdminContext } from './admin-context.ts'

const columns = Object.keys(AdminLoggedRequest.properties) as ReadonlyArray<keyof AdminLoggedRequest>

/** `GET /requests`: the requests of any account, and a request by its id alone. */
export function requests(app: TypedApp, { database, limitReads }: AdminContext): void {
  const { orm } = database
  const onRequest = app.requireOperator

  app.get(
    '/requests',
    {
      onRequest,
      schema: {
        operationId: 'listRequestsByOperator',
        summary: 'Search the requests of an account, newest first',
        description: 'As `GET /api/requests`, for any account, with the upstream that served each request.',
        parameters: [ofKeysWith],
        querystring: AdminRequestsQuery,
        response: answers({ 200: AdminRequestsResponse })
      }
    },
    ({ query: { account, ...query } }) => listRequests(orm, account.toLowerCase(), query, toAdminRequest)
  )

  app.get(
    '/requests/export',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      handlerTimeout: exportTimeoutMs,
      schema: {
        operationId: 'exportRequestsByOperator',
        summary: 'Export the requests of an account',
        description: 'As `GET /api/requests/export`, for any account. Needs the role `money` and a confirmation.',
        parameters: [ofKeysWith],
        querystring: AdminExportRequestsQuery,
        response: answers({ 200: exported(AdminLoggedRequest) as never })
      }
    },
    async ({ query: { account, format = 'ndjson', ...conditions } }, reply) => {
      const filter = await readFilter(orm, account.toLowerCase(), conditions)
      const amounts = ['margin_usd'] as const
      return exportRequests(reply, { orm, filter, format, show: toAdminRequest, columns, amounts, limitReads })
    }
  )

  app.get(
    '/requests/:id',
    {
      onRequest,
      schema: {
        operationId: 'getRequestByOperator',
        summary: 'Get a request of any account by its id',
        params: RequestParams,
        response: answers({ 200: AdminRequestResponse })
      }
    },
    async (request) => {
      const { record, rates, key } = await findRequest(orm, request.params.id, null)
      return { request: toAdminDetail(record, rates), key }
    }
  )
}
