import { inArray, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { auditLog } from '../database/schema/audit.ts'
import { inSteps } from './delete-in-steps.ts'

/** Rows per statement, so that each stays short. */
const rowsPerStep = 1000

/**
 * Deletes rows older than a time, in steps. Any number of replicas may do this at once: each skips rows that another one
 * deletes.
 *
 * @param isStopping checked between steps
 * @returns the number of deleted rows
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
    const deleted = await orm.delete(auditLog).where(inArray(auditLog.id, some)).returning({ id: auditLog.id })
    return deleted.length
  })
}
