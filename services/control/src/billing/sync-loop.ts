import { createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { findDueCustomers, putOff } from './customers.ts'
import type { SubscriptionSync } from './subscription-sync.ts'

/** Customers per query. */
const batch = 20
/** Milliseconds until a failed refresh is repeated. */
const retryMs = 15_000

export type SyncLoopOptions = {
  database: Database
  sync: Pick<SubscriptionSync, 'read'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from one round to the next. */
  intervalMs?: number
}

/** Refreshes customers that are due, for instance after a crash, a failure or a sweep. */
export type SyncLoop = {
  start(): void
  /** Resolves when the last round has ended. */
  stop(): Promise<void>
  /** Refreshes all due customers. Never throws: a failed one stays due. */
  readDue(): Promise<void>
}

/** Any number of replicas may run one: a second refresh of the same customer changes nothing. */
export function createSyncLoop({ database, sync, clock, log, intervalMs = 2000 }: SyncLoopOptions): SyncLoop {
  const { orm } = database
  const loop = createBackgroundLoop({
    round: readAllDue,
    intervalMs,
    log,
    messages: {
      failing: 'customers whose subscriptions must be read again could not be found',
      recovered: 'customers whose subscriptions must be read again are found again'
    }
  })

  async function readAllDue(signal: AbortSignal): Promise<void> {
    for (;;) {
      const due = await findDueCustomers(orm, clock(), batch)
      for (const customer of due) {
        if (signal.aborted) return
        try {
          await sync.read(customer.accountId)
        } catch (err) {
          log.warn({ err, accountId: customer.accountId }, 'subscriptions could not be read yet')
          await putOff(orm, customer, new Date(clock().getTime() + retryMs))
        }
      }
      if (due.length < batch) return
    }
  }

  return { start: loop.start, stop: loop.stop, readDue: loop.runOnce }
}
