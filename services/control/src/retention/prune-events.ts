import { inArray, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { events } from '../database/schema/events.ts'
import { mails } from '../database/schema/mails.ts'
import { toldBudgets } from '../database/schema/notices.ts'
import { refusals } from '../database/schema/refusals.ts'

/** Rows per statement, so that each stays short. */
const rowsPerStep = 1000

/** Deletes events from before a time, and what was told of budgets in months before it. @returns the number of events */
export async function pruneEvents(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  // Two months earlier, so that a budget of the present month is never told again.
  const months = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth() - 2))
  await orm.delete(toldBudgets).where(lt(toldBudgets.month, months))
  return inSteps(rowsPerStep, isStopping, async () => {
    const some = orm
      .select({ id: events.id })
      .from(events)
      .where(lt(events.at, before))
      .orderBy(events.at)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    return (await orm.delete(events).where(inArray(events.id, some)).returning({ id: events.id })).length
  })
}

/** Deletes counts of refused requests from before a time. @returns how many */
export async function pruneRefusals(orm: Orm, before: Date): Promise<number> {
  return (await orm.delete(refusals).where(lt(refusals.hour, before)).returning({ hour: refusals.hour })).length
}

/** Deletes mails that were sent or given up before a time. @returns how many */
export function pruneMails(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  return inSteps(rowsPerStep, isStopping, async () => {
    const some = orm
      .select({ id: mails.id })
      .from(mails)
      .where(lt(mails.endedAt, before))
      .orderBy(mails.endedAt)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    return (await orm.delete(mails).where(inArray(mails.id, some)).returning({ id: mails.id })).length
  })
}
