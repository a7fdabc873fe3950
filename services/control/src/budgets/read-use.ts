import type { BudgetUse, UsedKeyBudget } from '@tollgate/contracts/http/budgets.ts'
import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import { type BudgetWindow, windowNumber, windowResetsAt } from '@tollgate/contracts/records/budget-windows.ts'
import { budgetField } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type BudgetCounter, presentCounter, readBudgetCounters } from '@tollgate/state/spend/budgets.ts'
import type { Orm } from '../database/connect.ts'
import type { keys } from '../database/schema/keys.ts'
import { type DailySpend, predictEnd, readDailySpend, type SpendScope } from '../usage/daily-spend.ts'
import { toKeyBudgets } from './stored-budgets.ts'

/** A budget whose use is read. */
export interface ReadBudget extends Omit<SpendScope, 'account'> {
  /** Of the account's hash in Redis: see `readBudgetCounters`. */
  readonly field: string
  readonly window: BudgetWindow
  readonly nanos: number
}

interface Sources {
  readonly orm: Orm
  readonly redis: RedisLink
}

/**
 * Reads what admission counts for budgets of an account, and when they will be used up.
 *
 * @returns in their order; null if it cannot be read now
 * @throws the error of PostgreSQL
 */
export async function readUses(
  { orm, redis }: Sources,
  account: string,
  budgets: readonly ReadBudget[],
  now: Date
): Promise<Array<BudgetUse | null>> {
  if (budgets.length === 0) return []
  const asked = budgets.map(({ field }) => ({ account, field }))
  const counters = redis.isReady() ? await readBudgetCounters(redis, asked).catch(() => null) : null
  if (counters === null) return budgets.map(() => null)
  const scopes = budgets.map(({ key, member, models }) => ({ account, key, member, models }))
  const spends = await readDailySpend(orm, scopes, now)
  return budgets.map((budget, index) => toUse(budget, counters[index] ?? null, spends[index]!, now))
}

function toUse(
  { window, nanos }: ReadBudget,
  counter: BudgetCounter | null,
  { dayNanos }: DailySpend,
  now: Date
): BudgetUse {
  const { settled, reserved } = presentCounter(window, counter, now) ?? { settled: 0, reserved: 0 }
  const resets = windowResetsAt(window, windowNumber(window, now.getTime()))
  const resetsAt = resets === null ? null : new Date(resets)
  return {
    spent_usd: formatNanos(settled),
    reserved_usd: formatNanos(reserved),
    remaining_usd: formatNanos(Math.max(0, nanos - settled - reserved)),
    resets_at: resets,
    used_up_at: predictEnd({ now, leftNanos: nanos - settled, dayNanos, resetsAt })?.toISOString() ?? null
  }
}

/** All budgets of a key with their use. */
export async function readKeyBudgets(
  sources: Sources,
  row: Pick<typeof keys.$inferSelect, 'id' | 'accountId' | 'monthlyBudgetNanos' | 'budgets'>,
  now: Date
): Promise<UsedKeyBudget[]> {
  const { id: key, accountId, monthlyBudgetNanos: monthly, budgets } = row
  const ofMonth = monthly === null ? [] : [{ field: `k:${key}`, key, window: 'month' as const, nanos: monthly }]
  const read = [...ofMonth, ...budgets.map((budget) => ({ ...budget, key, field: budgetField(budget) }))]
  const uses = await readUses(sources, accountId, read, now)
  return toKeyBudgets(monthly, budgets).map((budget, index) => ({ ...budget, use: uses[index]! }))
}
