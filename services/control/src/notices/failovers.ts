import { and, asc, lte, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { failovers } from '../database/schema/notices.ts'
import { recordEvents } from '../events/record-event.ts'
import type { Failovers } from './group-failovers.ts'

/** Receipts of a minute arrive within this time after its end. Later ones count for no event. */
const lateMs = 60_000
const minuteMs = 60_000
/** Events per round. */
const batch = 500

/**
 * Counts failovers, in the transaction that stores their receipts: so each receipt counts once. See {@link groupFailovers}.
 *
 * @throws the error of PostgreSQL
 */
export async function noteFailovers(tx: Transaction, groups: readonly Failovers[]): Promise<void> {
  if (groups.length === 0) return
  const name = ({ minute, model, fromUpstream, toUpstream }: Failovers) =>
    [minute.getTime(), model, fromUpstream, toUpstream].join('\n')
  // In one order, so that replicas which store receipts of the same minute do not deadlock.
  const rows = groups.toSorted((one, other) => (name(one) < name(other) ? -1 : 1))
  await tx
    .insert(failovers)
    .values(rows)
    .onConflictDoUpdate({
      target: [failovers.minute, failovers.model, failovers.fromUpstream, failovers.toUpstream],
      set: { requests: sql`${failovers.requests} + excluded.requests` }
    })
}

/**
 * Records `request.failed_over` for minutes that are over. Any number of replicas may run it.
 *
 * @returns whether more is waiting
 */
export function recordFailovers(orm: Orm, now: Date): Promise<boolean> {
  const overBefore = new Date(now.getTime() - minuteMs - lateMs)
  return orm.transaction(async (tx) => {
    const over = await tx
      .select()
      .from(failovers)
      .where(lte(failovers.minute, overBefore))
      .orderBy(asc(failovers.minute))
      .limit(batch)
      .for('update', { skipLocked: true })
    await recordEvents(
      tx,
      over.map(({ minute, model, fromUpstream, toUpstream, requests }) => ({
        ...{ type: 'request.failed_over', accountId: null, at: now },
        data: { model, from_upstream: fromUpstream, to_upstream: toUpstream, minute: minute.toISOString(), requests },
        once: `request.failed_over:${minute.toISOString()}:${model}:${fromUpstream}:${toUpstream}`
      }))
    )
    for (const { minute, model, fromUpstream, toUpstream } of over) {
      await tx
        .delete(failovers)
        .where(
          and(
            sql`${failovers.minute} = ${sql.param(minute, failovers.minute)}`,
            sql`(${failovers.model}, ${failovers.fromUpstream}, ${failovers.toUpstream}) = (${model}, ${fromUpstream}, ${toUpstream})`
          )
        )
    }
    return over.length === batch
  })
}
