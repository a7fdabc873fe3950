import { type OperatorAct, OperatorActsQuery, OperatorActsResponse } from '@tollgate/contracts/http/admin/audit.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { FastifyRequest } from 'fastify'
import { type AuditPlace, readPage, writeCursor } from '../audit/audit-filter.ts'
import type { By } from '../audit/record-audit.ts'
import { callerOf } from '../callers/session.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { operatorActs } from '../database/schema/audit.ts'
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

/** Names of acts. Never reuse one: rows of a year ago still have it. */
const operatorActions = [
  'account.suspended',
  'account.resumed',
  'account.approved',
  'account.overridden',
  'account.adjusted',
  'account.signed_out',
  'account.deleted',
  'act.asked',
  'act.confirmed',
  'act.rejected',
  'key.revoked',
  'catalog.applied',
  'projection.rebuilt',
  'webhook.created',
  'webhook.changed',
  'webhook.rotated',
  'webhook.deleted',
  'announcement.created',
  'announcement.changed',
  'announcement.deleted'
] as const

interface ActRecord {
  action: (typeof operatorActions)[number]
  /** Null for acts about the whole system. */
  accountId: string | null
  /** Id of the changed thing, if that is not the account. */
  subject?: string
  reason: string
  /** Never contains a secret, a token or a password. */
  detail?: Record<string, string | number | boolean | null>
}

/** The operator of a request behind `requireOperator`, `requireSupport` or `requireMoney`, for the audit logs. */
export const byOperator = (request: FastifyRequest, at: Date): By & { actorId: string } => ({
  actorId: callerOf(request).user.id,
  ip: request.ip,
  at
})

/** Adds a row to the operators' log, in the transaction of the act. */
export async function recordAct(
  tx: Transaction,
  by: By & { actorId: string },
  { subject, detail, ...act }: ActRecord
): Promise<void> {
  await tx.insert(operatorActs).values({ ...by, ...act, subject: subject ?? null, detail: detail ?? {} })
}
