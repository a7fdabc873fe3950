import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { waitingAccountMessage } from '@tollgate/contracts/errors/table.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type By, byService, recordAudit } from '../audit/record-audit.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { waitsForApproval } from '../database/derived-columns.ts'
import { accounts, type SuspensionReason } from '../database/schema/accounts.ts'
import { recordEvent } from '../events/record-event.ts'
import { recordChange } from '../projection/record-change.ts'

/**
 * Adds a reason to suspend an account. While the account has a reason, its keys are refused: from the next admission
 * after Redis has the account's record.
 *
 * It takes locks in the order user, change, account: see `recordChange`.
 *
 * @returns whether anything changed; if so, notify the projector after the commit
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

/** Removes a reason; the account stays suspended while it has another. @returns like {@link suspendAccount} */
export function resumeAccount(
  tx: Transaction,
  accountId: string,
  reason: SuspensionReason,
  by: By = byService()
): Promise<boolean> {
  const suspensions = sql`array_remove(${accounts.suspensions}, ${reason}::text)`
  return change(tx, accountId, has(reason), suspensions, { action: 'account.resumed', reason, by })
}

const has = (reason: SuspensionReason): SQL => sql`${reason}::text = any (${accounts.suspensions})`

async function change(
  tx: Transaction,
  accountId: string,
  isDue: SQL,
  suspensions: SQL,
  { action, reason, by }: { action: 'account.suspended' | 'account.resumed'; reason: SuspensionReason; by: By }
): Promise<boolean> {
  const isTheAccount = and(eq(accounts.id, accountId), isDue)
  // Most calls change nothing, so they do not wait for the lock of changes.
  const [due] = await tx.select({ id: accounts.id }).from(accounts).where(isTheAccount)
  if (due === undefined) return false
  const version = await recordChange(tx, [accountShard(accountId)])
  // Another transaction may have committed the same change since.
  const [left] = await tx
    .update(accounts)
    .set({ suspensions, version })
    .where(isTheAccount)
    .returning({ suspensions: accounts.suspensions })
  if (left === undefined) return false
  await recordAudit(tx, { accountId, ...by, action, detail: { reason } })
  // Its keys are still refused.
  if (action === 'account.resumed' && left.suspensions.length > 0) return true
  // The customer is told why an operator suspended the account.
  const note = action === 'account.suspended' && by.note !== undefined ? { note: by.note } : {}
  await recordEvent(tx, { type: action, accountId, data: { reason, ...note }, at: by.at })
  return true
}

/*
 * With SIGNUP=approved, the account of a new user begins with the suspension `approval`, in the statement that creates
 * it: see account-plan.ts. It never comes back once an operator has removed it. While it is there, the gateways
 * refuse the account, and control gives it no key, no token of the playground, no checkout and no invitation. People
 * can sign in, and join a team.
 */

/** @throws ServiceError `account_suspended` if the account waits for an operator's approval */
export async function assertApproved(orm: Orm, accountId: string): Promise<void> {
  const [account] = await orm
    .select({ suspensions: accounts.suspensions })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (account !== undefined) refuseWaiting(account.suspensions)
}

/** @throws ServiceError `account_suspended` if these are of an account that waits for an operator's approval */
export function refuseWaiting(suspensions: readonly SuspensionReason[]): void {
  if (waitsForApproval(suspensions)) throw new ServiceError('account_suspended', { message: waitingAccountMessage })
}
