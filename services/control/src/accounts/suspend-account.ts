import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type AuditAction, recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { accounts, type SuspensionReason } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'

/** Who causes a change, from where and when, as the audit log has it. */
export type By = {
  /** A user; null for the service itself. */
  readonly actorId: string | null
  /** Empty for the service itself. */
  readonly ip: string
  readonly at: Date
}

export const byService = (at = new Date()): By => ({ actorId: null, ip: '', at })

/**
 * Gives an account a reason to be suspended. While it has any, its keys are refused: from the next admission on, once
 * Redis has the account's record.
 *
 * Locks are taken in the order user, change, account: see `recordChange`.
 *
 * @returns whether anything changed, and the projector should hear of the account after the commit
 */
export function suspendAccount(
  tx: Transaction,
  accountId: string,
  reason: SuspensionReason,
  by: By = byService()
): Promise<boolean> {
  const suspensions = sql`array_append(${accounts.suspensions}, ${reason}::text)`
  return change(tx, accountId, sql`not ${has(reason)}`, suspensions, { action: 'account.suspended', reason, by })
}

/** Takes one reason away; the account stays suspended while it has another. @returns as {@link suspendAccount} */
export function resumeAccount(
  tx: Transaction,
  accountId: string,
  reason: SuspensionReason,
  by: By = byService()
): Promise<boolean> {
  const suspensions = sql`array_remove(${accounts.suspensions}, ${reason}::text)`
  return change(tx, accountId, has(reason), suspensions, { action: 'account.resumed', reason, by })
}

/** Whether an account is suspended only because its owner has a seat in a team. */
export function isPausedByTeam(suspensions: readonly SuspensionReason[]): boolean {
  return suspensions.length === 1 && suspensions[0] === 'team'
}

const has = (reason: SuspensionReason): SQL => sql`${reason}::text = any (${accounts.suspensions})`

async function change(
  tx: Transaction,
  accountId: string,
  isDue: SQL,
  suspensions: SQL,
  { action, reason, by }: { action: AuditAction; reason: SuspensionReason; by: By }
): Promise<boolean> {
  const isTheAccount = and(eq(accounts.id, accountId), isDue)
  // Most calls change nothing, and so need not wait for other changes.
  const [due] = await tx.select({ id: accounts.id }).from(accounts).where(isTheAccount)
  if (due === undefined) return false
  const version = await recordChange(tx, [accountShard(accountId)])
  // Somebody else may have been first.
  const changed = await tx
    .update(accounts)
    .set({ suspensions, version })
    .where(isTheAccount)
    .returning({ id: accounts.id })
  if (changed.length === 0) return false
  await recordAudit(tx, { accountId, ...by, action, detail: { reason } })
  return true
}
