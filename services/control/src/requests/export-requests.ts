import { LoggedRequest } from '@tollgate/contracts/http/requests.ts'
import type { FastifyReply } from 'fastify'
import type { Orm } from '../database/connect.ts'
import { type ExportRows, exportRows } from '../http/export-rows.ts'
import { readAllRequests } from './read-requests.ts'
import type { RequestFilter } from './request-filter.ts'
import type { RequestRecord } from './request-record.ts'

/** Rows of one query. An export of any length needs the memory of two such pages. */
const pageSize = 1000

export interface ExportRequests<Shown extends LoggedRequest>
  extends Pick<ExportRows<Shown>, 'format' | 'columns' | 'limitReads'> {
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
