import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { windowNumber, windowResetsAt } from '@tollgate/contracts/records/budget-windows.ts'
import { presentCounter, readBudgetCounters } from '@tollgate/state/spend/budgets.ts'
import type { Spender } from '@tollgate/state/spend/spend.ts'
import { type NewEvent, recordEvent } from '../events/record-event.ts'
import { forecastMonth, predictEnd, readDailySpend, type SpendScope } from '../usage/daily-spend.ts'
import { nameOfMonth } from '../usage/month-spend.ts'
import { type Budget, type BudgetSources, readBudgets } from './read-budgets.ts'
import { nameBudget, placeOf, readWatched, type Watched } from './watched-budgets.ts'

/** A budget for ever is told of when it is used up so soon. */
const soonMs = 7 * 86_400_000

/**
 * Records `budget.forecast` for accounts that will use up their budget before the month ends, and
 * `budget.window_forecast` for other budgets that will be used up before they reset, or soon: once for each window and
 * limit, and not after the budget is used up. Budgets of a day have no forecast: their thresholds come soon enough.
 *
 * @param spenders keys, and accounts: their own budgets and those of their members
 * @returns those that must be checked again, because Redis is away: only it has the spend of budgets with a window
 * @throws the error of PostgreSQL
 */
export async function checkForecasts(
  sources: BudgetSources,
  spenders: readonly Spender[],
  now: Date
): Promise<readonly Spender[]> {
  if (spenders.length === 0) return []
  const { orm, redis } = sources
  const [monthly, watched] = await Promise.all([readBudgets(sources, spenders, now), readWatched(orm, spenders)])
  const forecasts = monthly.filter(({ told }) => told.percent < 100).map((budget) => ofMonth(budget, now))
  const windows = watched.filter(({ window }) => window !== 'day')
  const counters = redis.isReady() ? await readBudgetCounters(redis, windows.map(placeOf)).catch(() => null) : null
  for (const [index, budget] of windows.entries()) {
    const counter = presentCounter(budget.window, counters?.[index] ?? null, now)
    if (counter !== null) forecasts.push(ofWindow({ ...budget, name: String(budget.id) }, counter.settled, now))
  }
  const left = forecasts.filter(({ limitNanos, spentNanos }) => limitNanos > 0 && spentNanos < limitNanos)
  const spends = await readDailySpend(orm, left, now)
  for (const [index, { toEvent }] of left.entries()) {
    const event = toEvent(spends[index]!.dayNanos)
    if (event !== null) await orm.transaction((tx) => recordEvent(tx, event))
  }
  return counters === null ? windows : []
}

/** A budget that may be used up too early. */
interface Forecast extends SpendScope {
  readonly limitNanos: number
  readonly spentNanos: number
  /** @returns null if it will last */
  readonly toEvent: (dayNanos: readonly number[]) => NewEvent | null
}

function ofMonth(budget: Budget, now: Date): Forecast {
  const { account, key, budgetNanos, spentNanos, eventKey } = budget
  const month = nameOfMonth(now)
  if (key !== null) {
    const named = { account, key, eventKey, window: 'month' as const, nanos: budgetNanos }
    return ofWindow({ ...named, name: `${key}:month` }, spentNanos, now)
  }
  return {
    account,
    limitNanos: budgetNanos,
    spentNanos,
    toEvent(dayNanos) {
      const forecast = forecastMonth({ now, spentNanos, dayNanos })
      if (forecast === null || forecast < budgetNanos) return null
      return {
        type: 'budget.forecast',
        accountId: account,
        at: now,
        data: { month, budget_usd: usd(budgetNanos), spent_usd: usd(spentNanos), forecast_usd: usd(forecast) },
        once: `budget.forecast:${account}:${month}:${budgetNanos}`
      }
    }
  }
}

/** `name` tells budgets of an account apart. */
type Named = Omit<Watched, 'thresholds' | 'id'> & { readonly name: string }

function ofWindow(budget: Named, spentNanos: number, now: Date): Forecast {
  const { account, key, member, models, window, nanos } = budget
  const number = windowNumber(window, now.getTime())
  const resetsAt = windowResetsAt(window, number)
  return {
    ...{ account, key, member, models, spentNanos },
    limitNanos: nanos,
    toEvent(dayNanos) {
      const ends = resetsAt === null ? new Date(now.getTime() + soonMs) : new Date(resetsAt)
      const usedUpAt = predictEnd({ now, leftNanos: nanos - spentNanos, dayNanos, resetsAt: ends })
      if (usedUpAt === null) return null
      const amounts = { budget_usd: usd(nanos), spent_usd: usd(spentNanos) }
      return {
        type: 'budget.window_forecast',
        accountId: account,
        at: now,
        data: { ...nameBudget(budget), ...amounts, used_up_at: usedUpAt.toISOString(), resets_at: resetsAt },
        once: `budget.window_forecast:${account}:${budget.name}:${number}:${nanos}`
      }
    }
  }
}

const usd = (nanos: number): string => formatUsd(BigInt(nanos))
