import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { LoggedRequest, type RequestsQuery } from '@tollgate/contracts/http/requests.ts'
import type { UsageKey } from '@tollgate/contracts/http/usage.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyReply } from 'fastify'
import { type Orm, queryRows } from '../database/connect.ts'
import { requestRates, requests } from '../database/schema/requests.ts'
import { type ExportRows, exportRows } from '../http/export-rows.ts'
import * as cursor from '../http/query.ts'
import { readKeyNames } from '../usage/read-key-spends.ts'
import { type RequestRecord, recordColumns } from './logged-request.ts'
import { type RequestPlace, readAllRequests, readRequests } from './read-requests.ts'
import { type RequestFilter, readFilter } from './request-filter.ts'
import { storedId } from './request-row.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const writeRequestCursor = ({ at, id }: RequestPlace): string => cursor.writeCursor(new Date(at), id)

/** @throws ServiceError `invalid_request` for a text that {@link writeRequestCursor} did not write */
function readRequestCursor(text: string): RequestPlace {
  const place = cursor.readCursor(text, (id) => uuid.test(id))
  if (place === null) {
    throw new ServiceError('invalid_request', {
      message: 'cursor: not valid for this list. Use next_cursor of the previous page.'
    })
  }
  return { at: place.at.getTime(), id: place.id }
}

const defaultLimit = 50

/** A page of requests, as the API answers it. */
export interface ListedRequests<Shown extends LoggedRequest> {
  requests: Shown[]
  keys: UsageKey[]
  next_cursor: string | null
  searched_to: string | null
}

/**
 * Reads a page of an account's requests, newest first.
 *
 * @param show makes an element of the answer
 * @throws ServiceError `invalid_request`
 */
export async function listRequests<Shown extends LoggedRequest>(
  orm: Orm,
  accountId: string,
  query: RequestsQuery,
  show: (record: RequestRecord) => Shown
): Promise<ListedRequests<Shown>> {
  const { limit, cursor, ...conditions } = query
  const before = cursor === undefined ? null : readRequestCursor(cursor)
  const filter = await readFilter(orm, accountId, conditions)
  const { rows, next } = await readRequests(orm, filter, { before, limit: Number(limit ?? defaultLimit) })
  return {
    requests: rows.map(show),
    keys: await readKeyNames(orm, accountId, rows),
    next_cursor: next === null ? null : writeRequestCursor(next),
    searched_to: next === null ? null : new Date(next.at).toISOString()
  }
}

/** Rows of one query. An export of any length needs the memory of two such pages. */
const pageSize = 1000

interface ExportRequests<Shown extends LoggedRequest>
  extends Pick<ExportRows<Shown>, 'amounts' | 'format' | 'columns' | 'limitReads'> {
  readonly orm: Orm
  readonly filter: RequestFilter
  readonly show: (record: RequestRecord) => Shown
}

export const exportedColumns = Object.keys(LoggedRequest.properties) as ReadonlyArray<keyof LoggedRequest>

/** Answers with all requests that match, as a stream of any length, newest first. */
export function exportRequests<Shown extends LoggedRequest>(
  reply: FastifyReply,
  { orm, filter, show, ...rest }: ExportRequests<Shown>
): Promise<FastifyReply> {
  return exportRows(reply, { name: 'requests', pages: shownPages(orm, filter, show), ...rest })
}

async function* shownPages<Shown>(
  orm: Orm,
  filter: RequestFilter,
  show: (record: RequestRecord) => Shown
): AsyncGenerator<Shown[]> {
  for await (const page of readAllRequests(orm, filter, pageSize)) yield page.map(show)
}

interface FoundRequest {
  readonly record: RequestRecord
  /** The prices that gave its cost, as JSON. */
  readonly rates: string | null
  /** Null after the key was deleted. */
  readonly key: UsageKey | null
}

/**
 * Finds a request by its id.
 *
 * @param id any text of the caller
 * @param accountId only of this account; null for any
 * @throws ServiceError `not_found`
 */
export async function findRequest(orm: Orm, id: string, accountId: string | null): Promise<FoundRequest> {
  const stored = storedId(id)
  const isWanted = and(
    eq(requests.id, stored ?? ''),
    accountId === null ? undefined : eq(requests.accountId, accountId)
  )
  const [row] =
    stored === null
      ? []
      : await queryRows<RequestRecord & { rates: string | null }>(
          orm,
          sql`
            select ${recordColumns}, ${requestRates.rates} as rates
            from ${requests} left join ${requestRates} on ${requestRates.id} = ${requests.ratesId}
            where ${isWanted} limit 1`
        )
  if (row === undefined) {
    throw new ServiceError('not_found', {
      message:
        'The request log has no request with this id. It shows requests after some seconds, and keeps them for a while.'
    })
  }
  const { rates, ...record } = row
  const [key = null] = await readKeyNames(orm, record.account_id, [record])
  return { record, rates, key }
}
