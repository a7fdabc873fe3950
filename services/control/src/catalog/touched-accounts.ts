import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { not, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { effectivePlan } from './effective-plan.ts'

/** Counts the accounts of each plan in force, without deleted ones. Plans may be unknown to the catalog. */
export async function countAccountsByPlan(orm: Orm): Promise<Map<string, number>> {
  const rows = await orm
    .select({ plan: accounts.planInForce, count: sql<number>`count(*)`.mapWith(Number) })
    .from(accounts)
    .where(not(sql`'deleted' = any (${accounts.suspensions})`))
    .groupBy(accounts.planInForce)
  return new Map(rows.map(({ plan, count }) => [plan, count]))
}

/** How many accounts have one of these plans, before or after a change of the catalog. */
export function countTouched(
  counts: ReadonlyMap<string, number>,
  plans: readonly string[],
  from: Catalog,
  to: Catalog
): number {
  let sum = 0
  for (const [plan, count] of counts) {
    if (plans.includes(effectivePlan(from, plan)) || plans.includes(effectivePlan(to, plan))) sum += count
  }
  return sum
}
