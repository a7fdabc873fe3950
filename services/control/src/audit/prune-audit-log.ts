import { inArray, lt } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { auditLog } from '../database/schema.ts'

const dayMs = 86_400_000
/** How long rows of the audit log are kept. */
export const auditKeptMs = 400 * dayMs
const intervalMs = 3_600_000
/** Few enough that a statement takes no noticeable time. */
const rowsPerStep = 1000
/** What is left after so many is for the next hour. */
const stepsPerPass = 1000

/**
 * Removes rows that are older than {@link auditKeptMs}, some at a time. Any number of replicas may do this at once: what
 * one is removing, the others pass over.
 *
 * @param isStopping asked between steps
 * @returns how many were removed
 */
export async function pruneAuditLog(orm: Orm, now: Date, isStopping = () => false): Promise<number> {
  const oldest = new Date(now.getTime() - auditKeptMs)
  let removed = 0
  for (let step = 0; step < stepsPerPass && !isStopping(); step++) {
    const some = orm
      .select({ id: auditLog.id })
      .from(auditLog)
      .where(lt(auditLog.at, oldest))
      .orderBy(auditLog.at)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    const gone = await orm.delete(auditLog).where(inArray(auditLog.id, some)).returning({ id: auditLog.id })
    removed += gone.length
    if (gone.length < rowsPerStep) break
  }
  return removed
}

/**
 * {@link pruneAuditLog} now and every hour. A pass that fails is only logged: the next one does its work.
 *
 * @returns a function that ends it, resolved once nothing is under way
 */
export function keepAuditLogShort(
  database: Database,
  clock: Clock,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
): () => Promise<void> {
  let isStopping = false
  let pass = Promise.resolve()
  const start = () => {
    pass = pass.then(async () => {
      try {
        const count = await pruneAuditLog(database.orm, clock(), () => isStopping)
        if (count > 0) log.info({ count }, 'old rows of the audit log removed')
      } catch (err) {
        log.warn({ err }, 'old rows of the audit log could not be removed')
      }
    })
  }
  start()
  const timer = setInterval(start, intervalMs)
  return () => {
    isStopping = true
    clearInterval(timer)
    return pass
  }
}
