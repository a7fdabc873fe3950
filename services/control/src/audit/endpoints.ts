import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { AuditQuery, AuditResponse } from '@tollgate/contracts/http/audit.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../callers/session.ts'
import type { Database } from '../database/connect.ts'
import { readPage, writeCursor } from './audit-cursor.ts'
import { readAuditLog, toAuditEntry } from './read-audit-log.ts'

export interface AuditOptions {
  database: Database
}

/** `GET /api/audit`: what was changed in the caller's account, by whom and from where, newest first. Only for the owner. */
export async function auditEndpoints(instance: FastifyInstance, { database }: AuditOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.get(
    '/',
    { onRequest: app.requireSession, schema: { querystring: AuditQuery, response: answers({ 200: AuditResponse }) } },
    async (request) => {
      const { accountId, role } = callerOf(request)
      if (role !== 'owner') throw new ServiceError('forbidden')
      const { before, limit } = readPage(request.query)
      const { rows, hasMore } = await readAuditLog(database.orm, accountId, { before, limit })
      const last = rows.at(-1)
      return {
        entries: rows.map(toAuditEntry),
        has_more: hasMore,
        next_cursor: hasMore && last !== undefined ? writeCursor(last) : null
      }
    }
  )
}
