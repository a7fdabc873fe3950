import type { AuditEntry } from '@tollgate/contracts/http/audit.ts'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { auditLog } from '../database/schema/audit.ts'
import { users } from '../database/schema/users.ts'
import type { AuditPlace } from './audit-cursor.ts'

export type AuditRow = Omit<typeof auditLog.$inferSelect, 'accountId'> & {
  /** Null for the service, and for a deleted user. */
  actorEmail: string | null
}

/**
 * Reads a page of an account's log, newest first, starting after `before`.
 *
 * @param actorId only what this user did
 */
export async function readAuditLog(
  orm: Orm,
  accountId: string,
  { before, limit, actorId }: { before: AuditPlace | null; limit: number; actorId?: string }
): Promise<{ rows: AuditRow[]; hasMore: boolean }> {
  const rows = await orm
    .select({
      id: auditLog.id,
      actorId: auditLog.actorId,
      actorEmail: users.email,
      action: auditLog.action,
      subject: auditLog.subject,
      detail: auditLog.detail,
      ip: auditLog.ip,
      at: auditLog.at
    })
    .from(auditLog)
    .leftJoin(users, and(eq(users.id, auditLog.actorId), isNull(users.deletedAt)))
    .where(
      and(
        eq(auditLog.accountId, accountId),
        actorId === undefined ? undefined : eq(auditLog.actorId, actorId),
        // A comparison of rows can use the index.
        before === null
          ? undefined
          : sql`(${auditLog.at}, ${auditLog.id}) < (${sql.param(before.at, auditLog.at)}, ${before.id})`
      )
    )
    .orderBy(desc(auditLog.at), desc(auditLog.id))
    .limit(limit + 1)
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** A row, as the API shows it. */
export function toAuditEntry({ id, at, action, actorId, actorEmail, subject, detail, ip }: AuditRow): AuditEntry {
  return {
    id: String(id),
    at: at.toISOString(),
    action,
    actor_id: actorId,
    actor_email: actorEmail,
    subject,
    detail,
    ip: ip === '' ? null : ip
  }
}
