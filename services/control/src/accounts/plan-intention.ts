import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { members } from '../database/schema/accounts.ts'
import { planWrites } from '../database/schema/users.ts'

/** Writes plans to the identity provider, in the background. */
export interface WakeablePlanWriter {
  /** Call this after an intention is committed: the writer then starts at once. */
  wake(): void
}

/**
 * Stores the intended `app_metadata.plan` of a user. The plan writer writes it after the commit, even if control
 * crashes in between.
 *
 * The caller has locked the user's row, because the row here may not exist yet.
 *
 * @param plan a plan of the catalog
 */
export async function intendPlan(tx: Transaction, userId: string, plan: string): Promise<void> {
  await tx
    .insert(planWrites)
    .values({ userId, intended: plan, ours: [], revision: 1, pending: true })
    .onConflictDoUpdate({ target: planWrites.userId, set: anew(plan) })
}

/** Like {@link intendPlan}, for every seat of an account whose plan has changed. The caller has recorded the change. */
export async function intendPlanOfSeats(tx: Transaction, accountId: string, plan: string): Promise<void> {
  const seats = tx.select({ userId: members.userId }).from(members).where(eq(members.accountId, accountId))
  await tx
    .update(planWrites)
    .set(anew(plan))
    .where(and(inArray(planWrites.userId, seats), ne(planWrites.intended, plan)))
}

const anew = (plan: string) => ({ intended: plan, revision: sql`${planWrites.revision} + 1`, pending: true })
