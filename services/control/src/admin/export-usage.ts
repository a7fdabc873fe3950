import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ExportedUsage, ExportUsageQuery, exportGroups } from '@tollgate/contracts/http/admin/usage.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { exported, exportRows, exportTimeoutMs } from '../http/export-rows.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { type ExportRange, exportColumns, readExport } from '../usage/read-export.ts'
import { monthOf } from '../usage/usage-range.ts'
import type { AdminContext } from './admin-context.ts'

const dayMs = 86_400_000

/** `GET /usage`: the ledger of all accounts, as a stream of any length. */
export function exportUsage(app: TypedApp, { database, clock, limitReads }: AdminContext): void {
  app.get(
    '/usage',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      handlerTimeout: exportTimeoutMs,
      schema: { querystring: ExportUsageQuery, response: answers({ 200: exported(ExportedUsage) as never }) }
    },
    async (request, reply) => {
      const range = exportRange(request.query, clock())
      const format = request.query.format ?? 'ndjson'
      return exportRows(reply, {
        ...{ name: 'usage', format, limitReads },
        pages: readExport(database.orm, range),
        columns: exportColumns(range.groups),
        amounts: ['cost_usd']
      })
    }
  )
}

/** @throws ServiceError `invalid_request` */
function exportRange({ from, to, account, group }: ExportUsageQuery, now: Date): ExportRange {
  const first = from === undefined ? monthOf(now).from : new Date(`${from}T00:00:00Z`)
  const last = to === undefined ? now : new Date(`${to}T00:00:00Z`)
  const end = new Date(Math.floor(last.getTime() / dayMs) * dayMs + dayMs)
  if (first >= end) throw new ServiceError('invalid_request', { message: 'from: must not be after to' })
  const asked = group?.split(',') ?? exportGroups
  return { from: first, to: end, account, groups: exportGroups.filter((one) => asked.includes(one)) }
}
