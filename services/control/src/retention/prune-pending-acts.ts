import { lte } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { pendingActs } from '../database/schema/admin.ts'

/** Deletes acts that nobody can confirm any more. The operators' log keeps who asked for them. @returns how many */
export async function prunePendingActs(orm: Orm, now: Date): Promise<number> {
  const pruned = await orm.delete(pendingActs).where(lte(pendingActs.endsAt, now)).returning({ id: pendingActs.id })
  return pruned.length
}
