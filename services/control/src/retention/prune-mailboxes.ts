import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import { and, isNotNull, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'

/** Forgets the mailboxes of accounts that were deleted in a month before this one. @returns how many */
export async function pruneMailboxes(orm: Orm, now: Date): Promise<number> {
  const pruned = await orm
    .update(accounts)
    .set({ mailbox: null })
    .where(and(isNotNull(accounts.mailbox), lt(accounts.closedMonth, monthNumber(now))))
    .returning({ id: accounts.id })
  return pruned.length
}
