import { accountShard, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { and, eq, inArray, isNull, ne } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import type { Mailboxes } from '../signup/mailbox.ts'

/*
 * Accounts of one mailbox share one free budget a month. The oldest account that is not deleted has it, less what
 * deleted accounts of the mailbox spent this month. An account keeps the mailbox that it began with: after a change of
 * its address, the former address still has no second free budget.
 */

/**
 * Notes the mailbox of a user's own account, unless it has one.
 *
 * @returns whether the account's share of a free budget may have changed; if so, notify the projector after the commit
 */
export async function claimMailbox(
  tx: Transaction,
  mailboxes: Mailboxes,
  accountId: string,
  address: string
): Promise<boolean> {
  // Most calls change nothing, so they do not wait for the lock of changes.
  const [account] = await tx.select({ mailbox: accounts.mailbox }).from(accounts).where(eq(accounts.id, accountId))
  if (account === undefined || (account.mailbox !== null && mailboxes.isPresent(account.mailbox))) return false
  const mailbox = mailboxes.digest(address)
  // Of two accounts that claim a mailbox at once, one has to see the other.
  await lockChanges(tx)
  await tx.update(accounts).set({ mailbox }).where(eq(accounts.id, accountId))
  return (await projectSharing(tx, mailbox, accountId)) > 0
}

/**
 * Stores what a deleted account spent in its last month: from now on it is gone from the free budget of the mailbox,
 * and the next account has the rest. Gateways must already refuse the account's keys.
 *
 * @param nanos what the account has spent, and may still spend for running requests
 */
export async function closeFreeBudget(tx: Transaction, accountId: string, now: Date, nanos: bigint): Promise<void> {
  await lockChanges(tx)
  const [closed] = await tx
    .update(accounts)
    .set({ closedMonth: monthNumber(now), closedNanos: Number(nanos) })
    .where(and(eq(accounts.id, accountId), isNull(accounts.closedMonth)))
    .returning({ mailbox: accounts.mailbox })
  if (closed?.mailbox) await projectSharing(tx, closed.mailbox, accountId)
}

/** Has every account of a mailbox projected if there are others than this one. @returns how many others there are */
async function projectSharing(tx: Transaction, mailbox: string, accountId: string): Promise<number> {
  const others = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.mailbox, mailbox), ne(accounts.id, accountId)))
  if (others.length === 0) return 0
  const ids = [accountId, ...others.map(({ id }) => id)]
  const version = await recordChange(tx, ids.map(accountShard))
  await tx.update(accounts).set({ version }).where(inArray(accounts.id, ids))
  return others.length
}
