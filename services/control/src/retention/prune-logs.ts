import { inArray, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { operatorActs } from '../database/schema/admin.ts'
import { auditLog } from '../database/schema/audit.ts'

/** Rows per statement, so that each stays short. */
const rowsPerStep = 1000

/**
 * Deletes rows of a log that are older than a time, in steps. Any number of replicas may do this at once: each skips rows
 * that another one deletes.
 *
 * @param isStopping checked between steps
 * @returns the number of deleted rows
 */
function pruneLog(
  orm: Orm,
  log: typeof auditLog | typeof operatorActs,
  before: Date,
  isStopping: () => boolean
): Promise<number> {
  return inSteps(rowsPerStep, isStopping, async () => {
    const some = orm
      .select({ id: log.id })
      .from(log)
      .where(lt(log.at, before))
      .orderBy(log.at)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    const deleted = await orm.delete(log).where(inArray(log.id, some)).returning({ id: log.id })
    return deleted.length
  })
}

/** Deletes old rows of the customers' audit log; see {@link pruneLog}. */
export const pruneAuditLog = (orm: Orm, before: Date, isStopping = () => false): Promise<number> =>
  pruneLog(orm, auditLog, before, isStopping)

/** Deletes old rows of the log of operators' acts; see {@link pruneLog}. */
export const pruneOperatorActs = (orm: Orm, before: Date, isStopping = () => false): Promise<number> =>
  pruneLog(orm, operatorActs, before, isStopping)
