import { type OperatorAct, OperatorActsQuery, OperatorActsResponse } from '@tollgate/contracts/http/admin/audit.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { type AuditPlace, readPage, writeCursor } from '../audit/audit-cursor.ts'
import type { Orm } from '../database/connect.ts'
import { operatorActs } from '../database/schema/admin.ts'
import { users } from '../database/schema/users.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AdminContext } from './admin-context.ts'

const owners = alias(users, 'owners')

/** `GET /audit`: what operators did, newest first. */
export function acts(app: TypedApp, { database }: AdminContext): void {
  app.get(
    '/audit',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'listOperatorActs',
        summary: 'List what operators did, newest first',
        querystring: OperatorActsQuery,
        response: answers({ 200: OperatorActsResponse })
      }
    },
    async (request) => {
      const { before, limit } = readPage(request.query)
      const rows = await readActs(database.orm, request.query, before, limit + 1)
      const entries = rows.slice(0, limit)
      const last = entries.at(-1)
      const hasMore = rows.length > limit
      return {
        entries: entries.map(toEntry),
        has_more: hasMore,
        next_cursor: hasMore && last !== undefined ? writeCursor(last.act) : null
      }
    }
  )
}

type Row = Awaited<ReturnType<typeof readActs>>[number]

function readActs(orm: Orm, query: OperatorActsQuery, before: AuditPlace | null, limit: number) {
  return orm
    .select({ act: operatorActs, actorEmail: users.email, accountEmail: owners.email })
    .from(operatorActs)
    .leftJoin(users, and(eq(users.id, operatorActs.actorId), isNull(users.deletedAt)))
    .leftJoin(owners, and(eq(owners.id, operatorActs.accountId), isNull(owners.deletedAt)))
    .where(
      and(
        query.actor_id === undefined ? undefined : eq(operatorActs.actorId, query.actor_id),
        query.account_id === undefined ? undefined : eq(operatorActs.accountId, query.account_id),
        before === null
          ? undefined
          : sql`(${operatorActs.at}, ${operatorActs.id}) < (${sql.param(before.at, operatorActs.at)}, ${before.id})`
      )
    )
    .orderBy(desc(operatorActs.at), desc(operatorActs.id))
    .limit(limit)
}

const toEntry = ({ act, actorEmail, accountEmail }: Row): OperatorAct => ({
  id: String(act.id),
  at: act.at.toISOString(),
  action: act.action,
  actor_id: act.actorId,
  actor_email: actorEmail,
  account_id: act.accountId,
  account_email: accountEmail,
  subject: act.subject,
  reason: act.reason,
  detail: act.detail,
  ip: act.ip
})
