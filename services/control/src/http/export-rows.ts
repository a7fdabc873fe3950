import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { FastifyReply } from 'fastify'
import { type TObject, Type } from 'typebox'

/** An export may take longer than other answers, but not for ever. */
export const exportTimeoutMs = 3_600_000

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const
export type ExportFormat = keyof typeof types

/** The answer of an export in the OpenAPI document. */
export const exported = (row: TObject) => ({
  content: { 'application/x-ndjson': { schema: row }, 'text/csv': { schema: Type.String() } }
})

export interface ExportRows<Row extends object> {
  /** The name of the file, without its ending. */
  readonly name: string
  readonly format: ExportFormat
  /** The columns of CSV, in order. */
  readonly columns: ReadonlyArray<keyof Row & string>
  /** Reads the rows. A page may be empty. */
  readonly pages: AsyncIterator<readonly Row[]>
  /** Limits how many pages are read at once, so that other requests always find a free connection. */
  readonly limitReads: <Result>(read: () => Promise<Result>) => Promise<Result>
  /** Columns of CSV that are amounts, which may begin with a minus: a spreadsheet must read them as numbers. */
  readonly amounts?: ReadonlyArray<keyof Row & string>
}

/**
 * Answers with all rows as a stream of any length. It reads the next page when the client has taken the last one, and
 * stops when the client leaves.
 */
export async function exportRows<Row extends object>(
  reply: FastifyReply,
  { name, format, columns, pages, limitReads, amounts = [] }: ExportRows<Row>
): Promise<FastifyReply> {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  const readPage = () => limitReads(() => pages.next())
  // A failure of the first query is an error answer. A later one cuts the stream, which clients notice.
  const first = await readPage()
  reply.type(types[format])
  if (format === 'csv') reply.header('content-disposition', `attachment; filename="${name}.csv"`)
  return reply.send(Readable.from(texts(), { objectMode: false }))

  async function* texts(): AsyncGenerator<string> {
    const csv = csvWriter(columns.map((column) => !amounts.includes(column)))
    const write = (rows: readonly Row[]) =>
      format === 'csv' ? csv(rows.map((row) => columns.map((column) => row[column]))) : ndjson(rows)
    if (format === 'csv') yield csv([columns])
    // A search that finds nothing yields no text, so it does not notice by itself that nobody reads any more.
    for (let page = first; page.done !== true && !left.signal.aborted; page = await readPage()) {
      // An empty text would end the stream.
      if (page.value.length > 0) yield write(page.value)
    }
  }
}

const ndjson = (rows: readonly object[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`

/**
 * RFC 4180. A spreadsheet would run a text as a formula if it began with `=`, so such texts get a quote before them:
 * customers choose the names of models and labels.
 *
 * @param isText for each column, whether its values are texts
 */
const csvWriter =
  (isText: readonly boolean[]) =>
  (rows: ReadonlyArray<readonly unknown[]>): string =>
    stringify(rows as unknown[][], {
      record_delimiter: 'windows',
      cast: {
        boolean: (value) => (value ? 'true' : 'false'),
        string: (value, { index }) => ({ value, escape_formulas: isText[index] ?? true })
      }
    })
