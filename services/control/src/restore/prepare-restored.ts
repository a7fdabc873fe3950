import type { Orm } from '../database/connect.ts'
import { billingSweeps, invoiceSweeps } from '../database/schema/billing.ts'
import { passwordResets, sessions, sweeps } from '../database/schema/users.ts'

/** What {@link prepareRestored} changed. */
export interface Prepared {
  readonly endedSessions: number
}

/**
 * Prepares a database that was restored from a backup, before control starts.
 *
 * - Ends all sessions, and drops mailed resets: some of them have ended since the backup, perhaps because they were stolen.
 * - Makes the comparisons with the identity provider and the payment provider due: they bring back users and plans.
 */
export async function prepareRestored(orm: Orm): Promise<Prepared> {
  return orm.transaction(async (tx) => {
    const ended = await tx.delete(sessions).returning({ id: sessions.id })
    await tx.delete(passwordResets)
    for (const table of [sweeps, billingSweeps, invoiceSweeps]) await tx.delete(table)
    return { endedSessions: ended.length }
  })
}
