import type { BudgetUse, UsedKeyBudget } from '@tollgate/contracts/http/budgets.ts'
import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import { type BudgetWindow, windowNumber, windowResetsAt } from '@tollgate/contracts/records/budget-windows.ts'
import { budgetField } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type BudgetCounter, presentCounter, readBudgetCounters } from '@tollgate/state/spend/budgets.ts'
import type { keys } from '../database/schema/keys.ts'
import { toKeyBudgets } from './stored-budgets.ts'

/** A budget whose use is read. */
export interface ReadBudget {
  /** Of the account's hash in Redis: see `readBudgetCounters`. */
  readonly field: string
  readonly window: BudgetWindow
  readonly nanos: number
}

/**
 * Reads what admission counts for budgets of an account.
 *
 * @returns in their order; null if it cannot be read now
 */
export async function readUses(
  redis: RedisLink,
  account: string,
  budgets: readonly ReadBudget[],
  now: Date
): Promise<Array<BudgetUse | null>> {
  if (budgets.length === 0) return []
  const asked = budgets.map(({ field }) => ({ account, field }))
  const counters = redis.isReady() ? await readBudgetCounters(redis, asked).catch(() => null) : null
  return budgets.map((budget, index) => (counters === null ? null : toUse(budget, counters[index] ?? null, now)))
}

function toUse({ window, nanos }: ReadBudget, counter: BudgetCounter | null, now: Date): BudgetUse {
  const { settled, reserved } = presentCounter(window, counter, now) ?? { settled: 0, reserved: 0 }
  return {
    spent_usd: formatNanos(settled),
    reserved_usd: formatNanos(reserved),
    remaining_usd: formatNanos(Math.max(0, nanos - settled - reserved)),
    resets_at: windowResetsAt(window, windowNumber(window, now.getTime()))
  }
}

/** All budgets of a key with their use. */
export async function readKeyBudgets(
  redis: RedisLink,
  key: Pick<typeof keys.$inferSelect, 'id' | 'accountId' | 'monthlyBudgetNanos' | 'budgets'>,
  now: Date
): Promise<UsedKeyBudget[]> {
  const { id, accountId, monthlyBudgetNanos: monthly, budgets } = key
  const ofMonth = monthly === null ? [] : [{ field: `k:${id}`, window: 'month' as const, nanos: monthly }]
  const read = [...ofMonth, ...budgets.map((budget) => ({ ...budget, field: budgetField(budget) }))]
  const uses = await readUses(redis, accountId, read, now)
  return toKeyBudgets(monthly, budgets).map((budget, index) => ({ ...budget, use: uses[index]! }))
}
