import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import { earliestTime } from '../clocks/earliest-time.ts'
import type { SpendCheckKind } from '../database/schema/notices.ts'
import { checkBudgets } from './check-budgets.ts'
import { checkForecasts } from './check-forecasts.ts'
import { checkHours } from './check-hours.ts'
import type { BudgetSources } from './read-budgets.ts'
import { type ClaimedCheck, claimChecks, endChecks } from './spend-checks.ts'

/** Checks per round. */
const batch = 200

export interface SpendWatcherOptions extends BudgetSources {
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  intervalMs?: number
}

/**
 * Checks the spend of accounts and keys that have new usage: thresholds of budgets, forecasts, unusual hours. Any number of
 * replicas may run it. A check that fails, or whose replica dies, is repeated; its events are recorded once.
 */
export function createSpendWatcher(options: SpendWatcherOptions): BackgroundLoop {
  const { orm, redis, clock, log, intervalMs = 1000 } = options
  return createBackgroundLoop({
    async round() {
      const claimed = await claimChecks(orm, batch)
      if (claimed.length === 0) return null
      // By the earliest clock, so that no spend of the next month counts for this one.
      await performChecks(options, claimed, await earliestTime(orm, redis, clock))
      await endChecks(orm, claimed)
      return claimed.length === batch ? 'again' : null
    },
    intervalMs,
    log,
    messages: {
      failing: 'the spend of accounts cannot be checked; nobody is warned of used up budgets',
      recovered: 'the spend of accounts is checked again'
    }
  })
}

/** Performs claimed checks. Exported for tests. @throws the first failure; the checks are repeated after their lease */
export async function performChecks(
  sources: BudgetSources,
  claimed: readonly ClaimedCheck[],
  now: Date
): Promise<void> {
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
}
