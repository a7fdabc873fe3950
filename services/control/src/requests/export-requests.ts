import { Readable } from 'node:stream'
import { LoggedRequest } from '@tollgate/contracts/http/requests.ts'
import { stringify } from 'csv-stringify/sync'
import type { FastifyReply } from 'fastify'
import type { TObject } from 'typebox'
import { Type } from 'typebox'
import type { Orm } from '../database/connect.ts'
import { readAllRequests } from './read-requests.ts'
import type { RequestFilter } from './request-filter.ts'
import type { RequestRecord } from './request-record.ts'

/** Rows of one query. An export of any length needs the memory of two such pages. */
const pageSize = 1000
/** An export may take longer than other answers, but not for ever. */
export const exportTimeoutMs = 3_600_000

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const
export type ExportFormat = keyof typeof types

/** The answer of an export in the OpenAPI document. */
export const exported = (row: TObject) => ({
  content: { 'application/x-ndjson': { schema: row }, 'text/csv': { schema: Type.String() } }
})

export interface ExportRequests<Shown extends LoggedRequest> {
  readonly orm: Orm
  readonly filter: RequestFilter
  readonly format: ExportFormat
  readonly show: (record: RequestRecord) => Shown
  /** The columns of CSV, in order. */
  readonly columns: readonly string[]
  /** Limits how many pages are read at once, so that other requests always find a free connection. */
  readonly limitReads: <Result>(read: () => Promise<Result>) => Promise<Result>
}

export const exportedColumns: readonly string[] = Object.keys(LoggedRequest.properties)

/**
 * Answers with all requests that match, as a stream of any length, newest first. It reads the next page when the client has
 * taken the last one, and stops when the client leaves.
 */
export async function exportRequests<Shown extends LoggedRequest>(
  reply: FastifyReply,
  { orm, filter, format, show, columns, limitReads }: ExportRequests<Shown>
): Promise<FastifyReply> {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  const pages = readAllRequests(orm, filter, pageSize)
  const readPage = () => limitReads(() => pages.next())
  // A failure of the first query is an error answer. A later one cuts the stream, which clients notice.
  const first = await readPage()
  const textOf = format === 'csv' ? csvOf(columns) : ndjson
  reply.type(types[format])
  if (format === 'csv') reply.header('content-disposition', 'attachment; filename="requests.csv"')
  return reply.send(Readable.from(texts(), { objectMode: false }))

  async function* texts(): AsyncGenerator<string> {
    if (format === 'csv') yield csv([columns])
    // A search that finds nothing yields no text, so it does not notice by itself that nobody reads any more.
    for (let page = first; page.done !== true && !left.signal.aborted; page = await readPage()) {
      // An empty text would end the stream.
      if (page.value.length > 0) yield textOf(page.value.map(show))
    }
  }
}

const ndjson = (rows: readonly object[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`

const csvOf =
  (columns: readonly string[]) =>
  (rows: readonly LoggedRequest[]): string =>
    csv(rows.map((row) => columns.map((column) => row[column as keyof LoggedRequest])))

/**
 * RFC 4180. A spreadsheet would run a text as a formula if it began with `=`, so such texts get a quote before them: a
 * client chooses the name of a model.
 */
const csv = (rows: ReadonlyArray<readonly unknown[]>): string =>
  stringify(rows as unknown[][], {
    record_delimiter: 'windows',
    escape_formulas: true,
    cast: { boolean: (value) => (value ? 'true' : 'false') }
  })
