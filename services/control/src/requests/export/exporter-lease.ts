import { eq, sql } from 'drizzle-orm'
import type { Orm } from '../../database/connect.ts'
import { requestExporter } from '../../database/schema/request-exports.ts'

/** Longer than one batch with its retries takes. When a replica dies, another one takes over after this time. */
export const leaseMs = 60_000

/**
 * Takes or renews the right to send receipts, so that replicas do not send the same ones. Two may still do so after a long pause of
 * one of them: receipts have ids.
 *
 * @param replica the id of this replica
 * @returns whether this replica has it
 */
export async function claimExport(orm: Orm, replica: string): Promise<boolean> {
  const leaseEndsAt = sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`
  const claimed = await orm
    .insert(requestExporter)
    .values({ replica, leaseEndsAt })
    .onConflictDoUpdate({
      target: requestExporter.one,
      set: { replica, leaseEndsAt },
      setWhere: sql`${requestExporter.replica} = ${replica} or ${requestExporter.leaseEndsAt} < clock_timestamp()`
    })
    .returning({ one: requestExporter.one })
  return claimed.length > 0
}

/** Lets another replica send at once. */
export async function releaseExport(orm: Orm, replica: string): Promise<void> {
  await orm
    .update(requestExporter)
    .set({ leaseEndsAt: sql`clock_timestamp()` })
    .where(eq(requestExporter.replica, replica))
}
