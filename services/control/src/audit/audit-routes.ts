import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { AuditEntry, AuditQuery, AuditResponse, ExportAuditQuery } from '@tollgate/contracts/http/audit.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { concurrencyLimitFor } from '../background/limit-concurrency.ts'
import { callerOf, ownAccount } from '../callers/session.ts'
import type { Database, Orm } from '../database/connect.ts'
import { members } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { webhookEndpoints } from '../database/schema/webhooks.ts'
import { exported, exportRows, exportTimeoutMs } from '../http/export-rows.ts'
import type { Limits } from '../http/limits.ts'
import { isUuid } from '../http/query.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import { type AuditFilter, readAuditFilter, readPage, writeCursor } from './audit-filter.ts'
import { type AuditRow, readAuditLog, readWholeAuditLog, toAuditEntry } from './read-audit-log.ts'

/** Rows of one query. An export of any length needs the memory of two such pages. */
const exportPageSize = 1000
/** How long a page of an export waits for others. */
const pageWaitMs = 60_000
const columns = Object.keys(AuditEntry.properties) as ReadonlyArray<keyof AuditEntry>

export interface AuditOptions {
  database: Database
  limits: Limits
}

/** `/api/audit`: what was changed in the caller's account, by whom and from where, newest first. Only for the owner. */
export async function auditRoutes(instance: FastifyInstance, { database, limits }: AuditOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database
  const onRequest = app.requireSession
  const limitReads = concurrencyLimitFor(database, 'database_unavailable')

  app.get(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'listAudit',
        summary: 'List the audit log of the account, newest first',
        description:
          'Only for the owner of the account. Rows are kept for 400 days by default. All conditions must hold. A search for something rare may take several pages: a page can have fewer entries than `limit`, or none. Go on while `next_cursor` is not null.',
        errors: ['forbidden'],
        querystring: AuditQuery,
        response: answers({ 200: AuditResponse })
      }
    },
    async (request) => {
      const { limit, cursor, ...conditions } = request.query
      const filter = readAuditFilter(ownAccount(request), conditions)
      const page = readPage({ ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) })
      const { rows, next } = await readAuditLog(orm, filter, page)
      return {
        entries: await toListed(orm, filter.accountId, rows),
        has_more: next !== null,
        next_cursor: next === null ? null : writeCursor(next),
        searched_to: next === null ? null : next.at.toISOString()
      }
    }
  )

  app.get(
    '/export',
    {
      onRequest,
      preHandler: createRateLimitHook(app, {
        what: 'export-audit',
        perMinute: limits.exportAudit,
        subjectOf: (request) => callerOf(request).accountId
      }),
      handlerTimeout: exportTimeoutMs,
      schema: {
        operationId: 'exportAudit',
        summary: 'Export the audit log of the account',
        description:
          'Only for the owner of the account. The answer is a stream of any length, as NDJSON or CSV, newest first. After a failure, the connection closes before the answer is complete.',
        errors: ['forbidden'],
        isLimited: true,
        querystring: ExportAuditQuery,
        response: answers({ 200: exported(AuditEntry) as never })
      }
    },
    async (request, reply) => {
      const { format = 'ndjson', ...conditions } = request.query
      const filter = readAuditFilter(ownAccount(request), conditions)
      return exportRows(reply, {
        name: 'audit',
        format,
        columns,
        pages: entryPages(database, filter),
        limitReads: (read) => limitReads(read, AbortSignal.timeout(pageWaitMs), callerOf(request).accountId)
      })
    }
  )
}

async function* entryPages({ orm }: Database, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
  for await (const page of readWholeAuditLog(orm, filter, exportPageSize)) yield page.map(toAuditEntry)
}

/** Entries of an account's log, with what is known now of their keys, webhook endpoints and members. */
async function toListed(orm: Orm, accountId: string, rows: readonly AuditRow[]): Promise<AuditResponse['entries']> {
  const named = rows.flatMap(({ subject, detail }) => [subject, detail.by_key]).filter((id) => typeof id === 'string')
  const ids = [...new Set(named)]
  const uuids = ids.filter(isUuid)
  const [foundKeys, endpoints, seats] = await Promise.all([
    orm
      .select({ id: keys.id, label: keys.label })
      .from(keys)
      .where(and(eq(keys.accountId, accountId), inArray(keys.id, ids))),
    orm
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.accountId, accountId), inArray(webhookEndpoints.id, uuids))),
    orm
      .select({ id: members.userId })
      .from(members)
      .where(and(eq(members.accountId, accountId), inArray(members.userId, uuids)))
  ])
  const labels = new Map(foundKeys.map(({ id, label }) => [id, label]))
  const existing = new Set([...labels.keys(), ...[...endpoints, ...seats].map(({ id }) => id)])
  return rows.map((row) => ({
    ...toAuditEntry(row),
    actor_key_label: labels.get(String(row.detail.by_key)) ?? null,
    subject_exists: row.subject !== null && existing.has(row.subject)
  }))
}
