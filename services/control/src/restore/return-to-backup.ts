import { and, gt, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { projection } from '../database/schema/projection.ts'

/**
 * Undoes the raise of the epoch by an earlier run of `tollgate restored`, so that the database can be compared with Redis again
 * as it was in the backup.
 *
 * The epoch of the backup is the one in which control last copied all usage. Control writes to Redis before it copies usage. So if
 * control has copied nothing in an epoch, and Redis has nothing of it either, an earlier run has set that epoch.
 *
 * @param epochInRedis the highest epoch of anything in Redis; 0 without anything
 * @returns the epoch that the earlier run had set; null without one
 */
export async function returnToBackup(orm: Orm, epochInRedis: number): Promise<number | null> {
  return orm.transaction(async (tx) => {
    const isOfEarlierRun = and(lt(projection.ledgerEpoch, projection.epoch), gt(projection.epoch, epochInRedis))
    const [row] = await tx.select({ epoch: projection.epoch }).from(projection).where(isOfEarlierRun).for('update')
    if (row === undefined) return null
    await tx.update(projection).set({ epoch: projection.ledgerEpoch })
    return row.epoch
  })
}
