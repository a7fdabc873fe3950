import { createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { findDueCustomers, putOff } from './customers.ts'
import type { SubscriptionSync } from './subscription-sync.ts'

/** How many are looked for at once. */
const batch = 20
/** After an attempt that failed, the customer is let be. */
const retryMs = 15_000

export type SyncLoopOptions = {
  database: Database
  sync: Pick<SubscriptionSync, 'read'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds between looks. */
  intervalMs?: number
}

/** Reads the customers who were marked for it and are left over: by a crash, by a failure, by the sweep. */
export type SyncLoop = {
  start(): void
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
  /** Reads all who are due. Never throws: who fails is left for later. */
  readDue(): Promise<void>
}

/** Any number of replicas may run one: of two who read the same customer, the second finds them as they are. */
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
