import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { Projector } from '../projection/projector.ts'
import { endOverride, findEndedOverrides } from './override-account.ts'

/** Accounts per query. */
const batch = 100

export interface EndOverridesOptions {
  database: Database
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/**
 * Removes operators' overrides when they end. Gateways know the end and do not wait for this; control's own answers do. Any
 * number of replicas may run one.
 */
export function createOverrideEnder({
  database,
  projector,
  clock,
  log
}: EndOverridesOptions): Pick<BackgroundLoop, 'start' | 'stop' | 'runOnce'> {
  return createBackgroundLoop({
    async round(signal) {
      const now = clock()
      const ended = await findEndedOverrides(database.orm, now, batch)
      for (const id of ended) {
        if (signal.aborted) return null
        const isChanged = await database.orm.transaction((tx) => endOverride(tx, id, now))
        if (isChanged) await projector.accountChanged(id)
      }
      return ended.length === batch ? 'again' : null
    },
    intervalMs: 1000,
    log,
    messages: {
      failing: 'overrides that have ended cannot be removed',
      recovered: 'overrides that have ended can be removed again'
    }
  })
}
