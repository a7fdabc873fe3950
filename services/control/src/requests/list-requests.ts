import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { LoggedRequest, RequestsQuery } from '@tollgate/contracts/http/requests.ts'
import type { UsageKey } from '@tollgate/contracts/http/usage.ts'
import type { Orm } from '../database/connect.ts'
import * as cursor from '../http/cursor.ts'
import { readKeyNames } from '../usage/read-key-names.ts'
import { type RequestPlace, readRequests } from './read-requests.ts'
import { readFilter } from './request-filter.ts'
import type { RequestRecord } from './request-record.ts'

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
