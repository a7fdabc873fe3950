import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { members, planWrites } from '../database/schema.ts'

/** Writes plans to the identity provider, in the background. */
export interface WakeablePlanWriter {
  /** Call this after an intention is committed: the writer then starts at once. */
  wake(): void
}

/**
 * Decides what `app_metadata.plan` of a user is to be. The plan writer writes it after the commit, however often the
 * service crashes on the way.
 *
 * The user's row is locked, since this may be their first.
 *
 * @param plan one of the catalog's
 */
export async function intendPlan(tx: Transaction, userId: string, plan: string): Promise<void> {
  await tx
    .insert(planWrites)
    .values({ userId, intended: plan, ours: [], revision: 1, pending: true })
    .onConflictDoUpdate({ target: planWrites.userId, set: anew(plan) })
}

/** As {@link intendPlan}, for every seat of an account whose own plan has changed. The change is recorded already. */
export async function intendPlanOfSeats(tx: Transaction, accountId: string, plan: string): Promise<void> {
  const seats = tx.select({ userId: members.userId }).from(members).where(eq(members.accountId, accountId))
  await tx
    .update(planWrites)
    .set(anew(plan))
    .where(and(inArray(planWrites.userId, seats), ne(planWrites.intended, plan)))
}

const anew = (plan: string) => ({ intended: plan, revision: sql`${planWrites.revision} + 1`, pending: true })
