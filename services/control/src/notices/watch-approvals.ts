import { and, eq, gt, lte } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { isWaiting } from '../database/derived-columns.ts'
import { accounts } from '../database/schema/accounts.ts'
import { noticeSweeps } from '../database/schema/notices.ts'
import { recordEvent } from '../events/record-event.ts'

const name = 'accounts_waiting'
/** Operators are told at most once in this time, however many people register. */
const quietMs = 3_600_000
/** An account is committed this long after its time of creation, so that none is missed. */
const commitMs = 10_000

/**
 * Records `account.waiting` if accounts have begun to wait for approval since it was last recorded: the first one at
 * once, later ones within an hour. The progress is stored in the transaction of the event: any number of replicas may
 * call it, every few seconds.
 */
export async function watchApprovals(orm: Orm, now: Date): Promise<void> {
  const until = new Date(now.getTime() - commitMs)
  const [found] = await orm.select().from(noticeSweeps).where(eq(noticeSweeps.name, name))
  const told = found?.until ?? new Date(0)
  if (until.getTime() - told.getTime() < quietMs) return
  const isNew = and(isWaiting, gt(accounts.createdAt, told), lte(accounts.createdAt, until))
  const [some] = await orm.select({ id: accounts.id }).from(accounts).where(isNew).limit(1)
  if (some === undefined) return
  await orm.transaction(async (tx) => {
    await tx.insert(noticeSweeps).values({ name, until: told }).onConflictDoNothing()
    const moved = await tx
      .update(noticeSweeps)
      .set({ until })
      // Another replica may have told it.
      .where(and(eq(noticeSweeps.name, name), eq(noticeSweeps.until, told)))
      .returning({ name: noticeSweeps.name })
    if (moved.length === 0) return
    const data = { waiting: await tx.$count(accounts, isWaiting) }
    await recordEvent(tx, { type: 'account.waiting', accountId: null, data, at: now })
  })
}
