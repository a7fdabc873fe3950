import { inArray, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { webhookDeliveries } from '../database/schema/webhooks.ts'

const rowsPerStep = 1000

/** Deletes webhook deliveries that are older than a time, with their tries. @returns how many */
export function pruneDeliveries(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  return inSteps(rowsPerStep, isStopping, async () => {
    const some = orm
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(lt(webhookDeliveries.createdAt, before))
      .orderBy(webhookDeliveries.createdAt)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    const deleted = await orm
      .delete(webhookDeliveries)
      .where(inArray(webhookDeliveries.id, some))
      .returning({ id: webhookDeliveries.id })
    return deleted.length
  })
}
