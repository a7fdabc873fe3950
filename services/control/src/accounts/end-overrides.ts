import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import { earliestTime } from '../clocks/earliest-time.ts'
import type { Database } from '../database/connect.ts'
import type { Projector } from '../projection/projector.ts'
import { monthOf } from '../usage/usage-range.ts'
import { endOverride, findEndedOverrides, findOverridden } from './override-account.ts'

/** Accounts per query. */
const batch = 100
/** Milliseconds between two comparisons of all overridden accounts with Redis. */
const compareMs = 60_000

export interface EndOverridesOptions {
  database: Database
  redis: RedisLink
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/**
 * Removes operators' overrides when they end, by the earliest clock. Gateways know the end and do not wait for this; control's
 * own answers do. Any number of replicas may run one.
 *
 * Each minute it also writes the accounts with overrides and adjustments to Redis again. This changes nothing, except after a
 * replica of a release that does not know them wrote their records.
 */
export function createOverrideEnder({
  database: { orm },
  redis,
  projector,
  clock,
  log
}: EndOverridesOptions): Pick<BackgroundLoop, 'start' | 'stop' | 'runOnce' | 'progress'> {
  let compareAt = 0

  async function endAll(signal: AbortSignal): Promise<boolean> {
    // The earliest clock is not ahead of this one, so most rounds need not ask the others.
    if ((await findEndedOverrides(orm, clock(), 1)).length === 0) return false
    const now = await earliestTime(orm, redis, clock)
    const ended = await findEndedOverrides(orm, now, batch)
    for (const id of ended) {
      if (signal.aborted) return false
      if (await orm.transaction((tx) => endOverride(tx, id, now))) await projector.accountChanged(id)
    }
    return ended.length === batch
  }

  async function compareAll(signal: AbortSignal): Promise<void> {
    const month = monthOf(clock()).from
    let last: string | null = null
    for (;;) {
      const ids: string[] = await findOverridden(orm, month, last, batch)
      for (const id of ids) {
        if (signal.aborted || !(await projector.accountChanged(id))) return
      }
      last = ids.at(-1) ?? null
      if (ids.length < batch) return
    }
  }

  return createBackgroundLoop({
    async round(signal) {
      if (await endAll(signal)) return 'again'
      if (performance.now() < compareAt || !redis.isReady()) return null
      compareAt = performance.now() + compareMs
      await compareAll(signal)
      return null
    },
    intervalMs: 1000,
    log,
    messages: {
      failing: 'overrides that have ended cannot be removed',
      recovered: 'overrides that have ended can be removed again'
    }
  })
}
