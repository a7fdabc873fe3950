import { inArray, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { auditLog } from '../database/schema.ts'
import { inSteps } from './in-steps.ts'

/** Few enough that a statement takes no noticeable time. */
const rowsPerStep = 1000

/**
 * Removes rows that are older than a time, some at a time. Any number of replicas may do this at once: what one is removing,
 * the others pass over.
 *
 * @param isStopping asked between steps
 * @returns how many were removed
 */
export function pruneAuditLog(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  return inSteps(rowsPerStep, isStopping, async () => {
    const some = orm
      .select({ id: auditLog.id })
      .from(auditLog)
      .where(lt(auditLog.at, before))
      .orderBy(auditLog.at)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    const gone = await orm.delete(auditLog).where(inArray(auditLog.id, some)).returning({ id: auditLog.id })
    return gone.length
  })
}
