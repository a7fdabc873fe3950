import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import type { Spender } from '@tollgate/state/spend/read-settled.ts'
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { toldBudgets } from '../database/schema/notices.ts'
import { recordEvent } from '../events/record-event.ts'
import { nameOfMonth } from '../usage/months.ts'
import { monthOf } from '../usage/usage-range.ts'
import { decideThreshold, judgedSpend } from './decide-threshold.ts'
import { type Budget, type BudgetSources, readBudgets } from './read-budgets.ts'

/** Records `budget.threshold` for budgets whose spend has reached a further threshold. @throws the error of PostgreSQL */
export async function checkBudgets(sources: BudgetSources, spenders: readonly Spender[], now: Date): Promise<void> {
  for (const budget of await readBudgets(sources, spenders, now)) {
    if (decideThreshold(budget) !== null) await sources.orm.transaction((tx) => tell(tx, budget, now))
  }
}

/** Decides again under a lock: another replica may have told it meanwhile. */
async function tell(tx: Transaction, budget: Budget, now: Date): Promise<void> {
  const { account, key, budgetNanos, spentNanos, eventKey } = budget
  const place = { accountId: account, keyId: key ?? '', month: monthOf(now).from }
  const isPlace = and(
    eq(toldBudgets.accountId, account),
    eq(toldBudgets.keyId, place.keyId),
    eq(toldBudgets.month, place.month)
  )
  await tx
    .insert(toldBudgets)
    .values({ ...place, percent: 0, spentNanos: 0 })
    .onConflictDoNothing()
  const [told] = await tx.select().from(toldBudgets).where(isPlace).for('update')
  const percent = decideThreshold({ ...budget, told: told! })
  if (percent === null) return
  await tx
    .update(toldBudgets)
    .set({ percent, spentNanos: judgedSpend(budget) })
    .where(isPlace)
  const month = nameOfMonth(now)
  await recordEvent(tx, {
    type: 'budget.threshold',
    accountId: account,
    at: now,
    data: {
      scope: key === null ? 'account' : 'key',
      key: eventKey,
      month,
      percent,
      budget_usd: formatUsd(BigInt(budgetNanos)),
      spent_usd: formatUsd(BigInt(spentNanos))
    },
    once: `budget.threshold:${account}:${key ?? ''}:${month}:${percent}:${budgetNanos}:${spentNanos}`
  })
}
