import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { recordEvent } from '../events/record-event.ts'
import { readDailySpend } from '../usage/daily-spend.ts'
import { forecastMonth } from '../usage/forecast-month.ts'
import { nameOfMonth } from '../usage/months.ts'
import { type BudgetSources, readBudgets } from './read-budgets.ts'

/**
 * Records `budget.forecast` for accounts that will use up their budget before the month ends: once a month for each budget, and
 * not after the budget is used up. @throws the error of PostgreSQL
 */
export async function checkForecasts(sources: BudgetSources, accounts: readonly string[], now: Date): Promise<void> {
  const spenders = accounts.map((account) => ({ account, key: null }))
  const budgets = (await readBudgets(sources, spenders, now)).filter(
    ({ budgetNanos, spentNanos, told }) => budgetNanos > 0 && spentNanos < budgetNanos && told.percent < 100
  )
  if (budgets.length === 0) return
  const { orm } = sources
  const days = await readDailySpend(
    orm,
    budgets.map(({ account }) => account),
    now
  )
  for (const { account, budgetNanos, spentNanos } of budgets) {
    const forecast = forecastMonth({ now, spentNanos, dayNanos: days.get(account)!.dayNanos })
    if (forecast === null || forecast < budgetNanos) continue
    const month = nameOfMonth(now)
    const usd = (nanos: number) => formatUsd(BigInt(nanos))
    await orm.transaction((tx) =>
      recordEvent(tx, {
        ...{ type: 'budget.forecast', accountId: account, at: now },
        data: { month, budget_usd: usd(budgetNanos), spent_usd: usd(spentNanos), forecast_usd: usd(forecast) },
        once: `budget.forecast:${account}:${month}:${budgetNanos}`
      })
    )
  }
}
