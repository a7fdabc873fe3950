import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { and, asc, lte, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { failovers } from '../database/schema/notices.ts'
import { recordEvents } from '../events/record-event.ts'

/** Receipts of a minute arrive within this time after its end. Later ones count for no event. */
const lateMs = 60_000
const minuteMs = 60_000
/** Events per round. */
const batch = 500

/**
 * Counts failovers, in the transaction that stores their receipts: so each receipt counts once. See
 * {@link groupFailovers}.
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
        type: 'request.failed_over',
        accountId: null,
        at: now,
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

/** Requests of one minute that another upstream answered than the one that was called first. */
interface Failovers {
  readonly minute: Date
  readonly model: string
  readonly fromUpstream: string
  readonly toUpstream: string
  readonly requests: number
}

/** The members of a receipt that tell of a failover. */
export type FailedOver = Pick<Receipt, 'kind' | 'at' | 'model' | 'upstream' | 'failedAttempts' | 'code'>

/**
 * Groups receipts of requests that failed over, by minute, model and upstreams.
 *
 * @param receipts those that were stored for the first time, each request once
 */
export function groupFailovers(receipts: readonly FailedOver[]): Failovers[] {
  const groups = new Map<string, Failovers>()
  for (const { kind, at, model, upstream, failedAttempts, code } of receipts) {
    const first = failedAttempts[0]?.upstream ?? upstream
    if (kind !== 'settled' || code !== null || model === null || first === null || upstream === null) continue
    if (first === upstream) continue
    const minute = new Date(Math.floor((at * 1000) / minuteMs) * minuteMs)
    const name = JSON.stringify([minute.getTime(), model, first, upstream])
    const requests = (groups.get(name)?.requests ?? 0) + 1
    groups.set(name, { minute, model, fromUpstream: first, toUpstream: upstream, requests })
  }
  return [...groups.values()]
}
