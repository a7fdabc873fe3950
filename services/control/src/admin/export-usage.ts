import { Readable } from 'node:stream'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ExportedUsage, ExportUsageQuery, exportGroups } from '@tollgate/contracts/http/admin/usage.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { stringify } from 'csv-stringify/sync'
import { Type } from 'typebox'
import type { TypedApp } from '../http/typed-app.ts'
import { type ExportRange, exportColumns, readExport } from '../usage/read-export.ts'
import { monthOf } from '../usage/usage-range.ts'
import type { AdminContext } from './admin-context.ts'

const dayMs = 86_400_000
/** An export may take longer than other answers, but not for ever. */
const timeoutMs = 3_600_000

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const
const Exported = {
  content: {
    'application/x-ndjson': { schema: ExportedUsage },
    'text/csv': { schema: Type.String() }
  }
}

/** `GET /usage`: the ledger of all accounts, as a stream of any length. */
export function exportUsage(app: TypedApp, { database, clock, limitReads }: AdminContext): void {
  app.get(
    '/usage',
    {
      onRequest: app.requireOperator,
      handlerTimeout: timeoutMs,
      schema: { querystring: ExportUsageQuery, response: answers({ 200: Exported as never }) }
    },
    async (request, reply) => {
      const range = exportRange(request.query, clock())
      const format = request.query.format ?? 'ndjson'
      const pages = limitedPages(readExport(database.orm, range), limitReads)
      // A failure of the first query is an error answer. A later one cuts the stream, which clients notice.
      const first = await pages.next()
      const texts = format === 'csv' ? csvLines(range, first, pages) : jsonLines(first, pages)
      reply.type(types[format])
      if (format === 'csv') reply.header('content-disposition', 'attachment; filename="usage.csv"')
      return reply.send(Readable.from(texts, { objectMode: false }))
    }
  )
}

async function* limitedPages(pages: Pages, limitReads: AdminContext['limitReads']): Pages {
  for (;;) {
    const page = await limitReads(() => pages.next())
    if (page.done === true) return
    yield page.value
  }
}

type Pages = AsyncGenerator<ExportedUsage[]>
type FirstPage = IteratorResult<ExportedUsage[]>

async function* jsonLines(first: FirstPage, pages: Pages): AsyncGenerator<string> {
  for await (const rows of allPages(first, pages)) yield `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`
}

async function* csvLines({ groups }: ExportRange, first: FirstPage, pages: Pages): AsyncGenerator<string> {
  const columns = exportColumns(groups)
  yield csv([columns], groups.length)
  for await (const rows of allPages(first, pages)) {
    const values = rows.map((row) => columns.map((column) => row[column as keyof ExportedUsage]))
    yield csv(values, groups.length)
  }
}

async function* allPages(first: FirstPage, pages: Pages): Pages {
  if (first.done !== true) yield first.value
  yield* pages
}

/**
 * RFC 4180. A spreadsheet would run a text as a formula if it began with `=`, so such texts get a quote before them. The
 * first columns are texts, the others are amounts.
 *
 * @param texts the number of columns with texts
 */
const csv = (rows: unknown[][], texts: number): string =>
  stringify(rows, {
    record_delimiter: 'windows',
    cast: { string: (value, { index }) => ({ value, escape_formulas: index < texts }) }
  })

/** @throws ServiceError `invalid_request` */
function exportRange({ from, to, account, group }: ExportUsageQuery, now: Date): ExportRange {
  const first = from === undefined ? monthOf(now).from : new Date(`${from}T00:00:00Z`)
  const last = to === undefined ? now : new Date(`${to}T00:00:00Z`)
  const end = new Date(Math.floor(last.getTime() / dayMs) * dayMs + dayMs)
  if (first >= end) throw new ServiceError('invalid_request', { message: 'from: must not be after to' })
  const asked = group?.split(',') ?? exportGroups
  return { from: first, to: end, account, groups: exportGroups.filter((one) => asked.includes(one)) }
}
