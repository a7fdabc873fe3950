import type { Transaction } from '../database/connect.ts'
import { auditLog } from '../database/schema.ts'

/** What is written down. A name is never reused for something else: rows of a year ago are read by it. */
export const auditActions = [
  'auth.login',
  'auth.signout',
  'auth.address_confirmed',
  'auth.password_changed',
  'auth.password_reset',
  'auth.second_factor_on',
  'auth.second_factor_off',
  'auth.session_ended',
  'auth.sessions_ended',
  'user.updated',
  'user.deleted',
  'account.updated',
  'account.suspended',
  'account.resumed',
  'plan.changed',
  'subscription.changed',
  'key.created',
  'key.updated',
  'key.rotated',
  'key.revoked',
  'team.invited',
  'team.invitation_revoked',
  'team.joined',
  'team.left',
  'team.seat_removed'
] as const
export type AuditAction = (typeof auditActions)[number]

export type AuditEntry = {
  /** The account whose owner may read it. */
  accountId: string
  /** The user who did it; null for the service itself. */
  actorId: string | null
  action: AuditAction
  /** Id of what it was done to, if that is not the account. */
  subject?: string
  /** Never a secret, a token or a password. */
  detail?: Record<string, string | number | boolean | null>
  /** Address of the client; empty for the service itself. */
  ip: string
  at: Date
}

/** Adds a row to the audit log, in the transaction of the change: there is no change without its row, and no row without its change. */
export async function recordAudit(tx: Transaction, { subject, detail, ...entry }: AuditEntry): Promise<void> {
  await tx.insert(auditLog).values({ ...entry, subject: subject ?? null, detail: detail ?? {} })
}
