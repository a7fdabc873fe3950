import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type Clock, earliestTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { Projector } from '../projection/projector.ts'
import { endOverride, findEndedOverrides } from './override-account.ts'

/** Accounts per query. */
const batch = 100

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
 */
export function createOverrideEnder({
  database: { orm },
  redis,
  projector,
  clock,
  log
}: EndOverridesOptions): Pick<BackgroundLoop, 'start' | 'stop' | 'runOnce' | 'progress'> {
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

  return createBackgroundLoop({
    round: async (signal) => ((await endAll(signal)) ? 'again' : null),
    intervalMs: 1000,
    log,
    messages: {
      failing: 'overrides that have ended cannot be removed',
      recovered: 'overrides that have ended can be removed again'
    }
  })
}
