import type { AuditAction } from '@tollgate/contracts/audit/audit-actions.ts'
import { cutText } from '@tollgate/service/text.ts'
import type { Transaction } from '../database/connect.ts'
import { auditLog } from '../database/schema/audit.ts'

/** Who made a change, from where and when, as the audit log stores it. */
export interface By {
  /** A user; null for the service. */
  readonly actorId: string | null
  /** The client's address; empty for the service. */
  readonly ip: string
  readonly at: Date
  /** Why an operator did it, in the operator's words. The account's audit log shows it. */
  readonly note?: string
}

export const byService = (at = new Date()): By => ({ actorId: null, ip: '', at })

export interface AuditEntry {
  /** The account whose owner may read it. */
  accountId: string
  /** The user who did it; null for the service. */
  actorId: string | null
  action: AuditAction
  /** Id of the changed thing, if that is not the account. */
  subject?: string
  /** Never contains a secret, a token or a password. */
  detail?: Record<string, string | number | boolean | null>
  /** Address of the client; empty for the service. */
  ip: string
  at: Date
  /** The reason that an operator gave; `detail` shows it. */
  note?: string
}

/**
 * Adds a row to the audit log, in the transaction of the change: neither exists without the other. The owner of the
 * account reads it, so an operator's client address is left out: the operators' own log has it.
 */
export async function recordAudit(tx: Transaction, { subject, detail, note, ip, ...entry }: AuditEntry): Promise<void> {
  await tx.insert(auditLog).values({
    ...entry,
    ip: note === undefined ? ip : '',
    subject: subject ?? null,
    detail: { ...detail, ...(note !== undefined && { note }) }
  })
}

/** The audit log keeps no more of a list. */
const maxListLength = 200

/** A list as the audit log keeps it; null stays null. */
export function listText(list: ReadonlyArray<string | number> | null): string | null {
  const text = list?.join(', ') ?? null
  return text === null || text.length <= maxListLength ? text : `${cutText(text, { length: maxListLength })}…`
}
