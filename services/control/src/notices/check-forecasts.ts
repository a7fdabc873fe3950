import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { ledger } from '../database/schema/usage.ts'
import { recordEvent } from '../events/record-event.ts'
import { nameOfMonth } from '../usage/months.ts'
import { forecastDays, forecastMonth } from './forecast-month.ts'
import { type BudgetSources, readBudgets } from './read-budgets.ts'

const dayMs = 86_400_000

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
  const days = await readDays(
    orm,
    budgets.map(({ account }) => account),
    now
  )
  for (const { account, budgetNanos, spentNanos } of budgets) {
    const forecast = forecastMonth({ now, spentNanos, dayNanos: days.get(account) ?? [] })
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

/** The spend of the last complete days of accounts, oldest first. */
async function readDays(orm: Orm, accounts: readonly string[], now: Date): Promise<Map<string, number[]>> {
  const today = Math.floor(now.getTime() / dayMs)
  const hour = (day: number) => sql.param(new Date(day * dayMs), ledger.hour)
  const rows = await queryRows<{ account: string; day: number; nanos: string }>(
    orm,
    sql`
      select ${ledger.accountId}::text as account, floor(extract(epoch from ${ledger.hour}) / 86400)::int as day,
        sum(${ledger.costNanos})::text as nanos
      from ${ledger}
      where ${ledger.accountId} = any(${`{${accounts.join()}}`}::uuid[])
        and ${ledger.hour} >= ${hour(today - forecastDays)} and ${ledger.hour} < ${hour(today)}
      group by 1, 2`
  )
  const days = new Map(accounts.map((account) => [account, new Array<number>(forecastDays).fill(0)]))
  for (const { account, day, nanos } of rows) {
    days.get(account)![Number(day) - (today - forecastDays)] = Math.max(0, Number(nanos))
  }
  return days
}
