import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { auditLog, users } from '../database/schema.ts'
import type { AuditPlace } from './audit-cursor.ts'

export type AuditRow = Omit<typeof auditLog.$inferSelect, 'accountId'> & {
  /** Null for the service itself, and for a user who is deleted. */
  actorEmail: string | null
}

/** A page of an account's log, newest first, from `before` on. */
export async function readAuditLog(
  orm: Orm,
  accountId: string,
  { before, limit }: { before: AuditPlace | null; limit: number }
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
        // Compared as a row, which the index can begin at.
        before === null
          ? undefined
          : sql`(${auditLog.at}, ${auditLog.id}) < (${sql.param(before.at, auditLog.at)}, ${before.id})`
      )
    )
    .orderBy(desc(auditLog.at), desc(auditLog.id))
    .limit(limit + 1)
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit }
}
