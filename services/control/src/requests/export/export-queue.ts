import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { and, inArray, lt, sql } from 'drizzle-orm'
import { type Orm, queryRows, type Transaction } from '../../database/connect.ts'
import { inSteps } from '../../database/delete-in-steps.ts'
import { requestExports as queue } from '../../database/schema/requests.ts'
import { packReceipts } from './pack-receipts.ts'

/**
 * Receipts in one row, and in one request to the collector. Encoding one takes about 25 µs, during which requests wait.
 */
export const receiptsPerBatch = 100
const rowsPerStep = 1000

/** A row of the queue. */
export interface WaitingReceipts {
  readonly id: number
  readonly count: number
  readonly packed: Uint8Array
}

/**
 * Adds receipts to the queue, in the transaction that stores them. So each stored receipt is exported, and no other
 * one.
 */
export async function queueReceipts(tx: Transaction, receipts: readonly Receipt[]): Promise<void> {
  if (receipts.length === 0) return
  const batches = Array.from({ length: Math.ceil(receipts.length / receiptsPerBatch) }, (_, index) =>
    receipts.slice(index * receiptsPerBatch, (index + 1) * receiptsPerBatch)
  )
  const rows = await Promise.all(
    batches.map(async (batch) => ({ count: batch.length, receipts: await packReceipts(batch) }))
  )
  await tx.insert(queue).values(rows)
}

/** Whether receipts wait. Cheaper than reading them. */
export async function isWaiting(orm: Orm): Promise<boolean> {
  return (await orm.select({ id: queue.id }).from(queue).limit(1)).length > 0
}

/** Reads the first rows, for at most one batch; at least one row. */
export async function readWaiting(orm: Orm): Promise<WaitingReceipts[]> {
  const rows = await orm
    .select({ id: queue.id, count: queue.count, packed: queue.receipts })
    .from(queue)
    .orderBy(queue.id)
    .limit(100)
  let total = 0
  return rows.filter(({ count }, index) => {
    total += count
    return index === 0 || total <= receiptsPerBatch
  })
}

export async function removeExported(orm: Orm, ids: readonly number[]): Promise<void> {
  await orm.delete(queue).where(inArray(queue.id, [...ids]))
}

/** Seconds that the first receipts have waited; 0 if none wait. Reads one row. */
export async function exportLagSeconds(orm: Orm): Promise<number> {
  const [row] = await queryRows<{ lag: number }>(
    orm,
    sql`select coalesce((
      select greatest(extract(epoch from clock_timestamp() - stored_at), 0) from ${queue} order by id limit 1
    ), 0)::float8 as lag`
  )
  return row!.lag
}

/**
 * Deletes receipts that have waited since before a time. Any number of replicas may do this.
 *
 * @param isStopping checked between steps
 * @returns the number of receipts
 */
export async function dropOldExports(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  let dropped = 0
  await inSteps(rowsPerStep, isStopping, async () => {
    // The ids have the order of the times.
    const first = orm
      .select({ id: queue.id })
      .from(queue)
      .orderBy(queue.id)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    const rows = await orm
      .delete(queue)
      .where(and(inArray(queue.id, first), lt(queue.storedAt, before)))
      .returning({ count: queue.count })
    dropped += rows.reduce((sum, { count }) => sum + count, 0)
    return rows.length
  })
  return dropped
}
