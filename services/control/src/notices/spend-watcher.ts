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
import { nameOfMonth } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'
import { checkForecasts } from './check-forecasts.ts'
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
  const of = (kind: SpendCheckKind): Spender[] =>
    claimed.flatMap((check) =>
      check.kind === kind ? { account: check.account, key: check.key === '' ? null : check.key } : []
    )
  await checkBudgets(sources, of('budget'), now)
  const ofHours = of('hour')
  if (ofHours.length > 0)
    await checkHours(
      sources.orm,
      ofHours.map(({ account }) => account),
      now
    )
  const again: Record<SpendCheckKind, readonly Spender[]> = {
    budget: await checkWindows(sources, of('budget'), now),
    forecast: await checkForecasts(sources, of('forecast'), now),
    hour: []
  }
  const isAgain = ({ account, key, kind }: ClaimedCheck): boolean =>
    again[kind].some((spender) => spender.account === account && (spender.key ?? '') === key)
  return claimed.filter((check) => !isAgain(check))
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
