import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { Spender } from '@tollgate/state/spend/spend.ts'
import { and, eq } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import { type Clock, earliestTime } from '../clocks/clock.ts'
import type { Transaction } from '../database/connect.ts'
import { type SpendCheckKind, toldBudgets } from '../database/schema/notices.ts'
import { recordEvent } from '../events/record-event.ts'
import { forecastMonth, readDailySpend } from '../usage/daily-spend.ts'
import { nameOfMonth } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'
import { checkHours } from './check-hours.ts'
import { decideThreshold, judgedSpend } from './decide-threshold.ts'
import { type Budget, type BudgetSources, readBudgets } from './read-budgets.ts'
import { type ClaimedCheck, claimChecks, endChecks, hasDueChecks } from './spend-checks.ts'
import { checkWindows } from './window-budgets.ts'

/** Checks per round. */
const batch = 200

export interface SpendWatcherOptions extends BudgetSources {
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  intervalMs?: number
}

/**
 * Checks the spend of accounts and keys that have new usage: thresholds of budgets, forecasts, unusual hours. Any
 * number of replicas may run it. A check that fails, or whose replica dies, is repeated; its events are recorded once.
 */
export function createSpendWatcher(options: SpendWatcherOptions): BackgroundLoop & WatchedLoop {
  const { orm, redis, clock, log, intervalMs = watchedIntervalMs } = options
  const loop = createBackgroundLoop({
    async round() {
      const claimed = await claimChecks(orm, batch)
      if (claimed.length === 0) return null
      // By the earliest clock, so that no spend of the next month counts for this one.
      await endChecks(orm, await performChecks(options, claimed, await earliestTime(orm, redis, clock)))
      return claimed.length === batch ? 'again' : null
    },
    intervalMs,
    log,
    messages: {
      failing: 'the spend of accounts cannot be checked; nobody is warned of used up budgets',
      recovered: 'the spend of accounts is checked again'
    }
  })
  return { ...loop, isDue: hasDueChecks }
}

/**
 * Performs claimed checks. Exported for tests.
 *
 * @returns those that are done; the others are repeated after their lease
 * @throws the first failure; all checks are repeated after their lease
 */
export async function performChecks(
  sources: BudgetSources,
  claimed: readonly ClaimedCheck[],
  now: Date
): Promise<ClaimedCheck[]> {
  const of = (kind: SpendCheckKind) => claimed.filter((check) => check.kind === kind)
  const spenders = of('budget').map(({ account, key }) => ({ account, key: key === '' ? null : key }))
  await checkBudgets(sources, spenders, now)
  await checkForecasts(
    sources,
    of('forecast').map(({ account }) => account),
    now
  )
  const ofHours = of('hour')
  if (ofHours.length > 0)
    await checkHours(
      sources.orm,
      ofHours.map(({ account }) => account),
      now
    )
  const again = await checkWindows(sources, spenders, now)
  const isAgain = ({ account, key, kind }: ClaimedCheck): boolean =>
    kind === 'budget' && again.some((spender) => spender.account === account && (spender.key ?? '') === key)
  return claimed.filter((check) => !isAgain(check))
}

/**
 * Records `budget.forecast` for accounts that will use up their budget before the month ends: once a month for each
 * budget, and not after the budget is used up. @throws the error of PostgreSQL
 */
async function checkForecasts(sources: BudgetSources, accounts: readonly string[], now: Date): Promise<void> {
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
        type: 'budget.forecast',
        accountId: account,
        at: now,
        data: { month, budget_usd: usd(budgetNanos), spent_usd: usd(spentNanos), forecast_usd: usd(forecast) },
        once: `budget.forecast:${account}:${month}:${budgetNanos}`
      })
    )
  }
}

/**
 * Records `budget.threshold` for budgets whose spend has reached a further threshold. @throws the error of PostgreSQL
 */
async function checkBudgets(sources: BudgetSources, spenders: readonly Spender[], now: Date): Promise<void> {
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
