import { createBackgroundLoop, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import type { SharedTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { findCustomers, leasedCustomers, postpone } from './customers.ts'
import type { CustomerRefresher } from './refresh-customer.ts'

/** Customers per query. */
const batch = 20
/** Milliseconds until a failed refresh is repeated. */
const retryMs = 15_000

export interface DueCustomersOptions {
  database: Database
  customerRefresher: Pick<CustomerRefresher, 'refresh'>
  /** When customers are due. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from one round to the next. */
  intervalMs?: number
}

/** Refreshes customers that are due, for instance after a crash, a failure or a sweep. */
export interface DueCustomersLoop extends WatchedLoop {
  readonly progress: LoopProgress
  start(): void
  /** Resolves when the last round has ended. */
  stop(): Promise<void>
  /** Refreshes all due customers. Never throws: a failed one stays due. */
  refreshDue(): Promise<void>
}

/** Any number of replicas may run one: a second refresh of the same customer changes nothing. */
export function createDueCustomersLoop({
  database,
  customerRefresher,
  sharedTime,
  log,
  intervalMs = watchedIntervalMs
}: DueCustomersOptions): DueCustomersLoop {
  const { orm } = database
  const leases = leasedCustomers(orm, sharedTime)
  const loop = createBackgroundLoop({
    round: refreshAllDue,
    intervalMs,
    log,
    messages: {
      failing: 'customers that are due for a refresh cannot be read',
      recovered: 'customers that are due for a refresh can be read again'
    }
  })

  async function refreshAllDue(signal: AbortSignal): Promise<void> {
    for (;;) {
      const due = await findCustomers(orm, leases.isDue(), batch)
      for (const customer of due) {
        if (signal.aborted) return
        try {
          await customerRefresher.refresh(customer.accountId)
        } catch (err) {
          log.warn({ err, accountId: customer.accountId }, 'a customer could not be refreshed; the next try follows')
          await postpone(orm, customer, leases.after(retryMs))
        }
      }
      if (due.length < batch) return
    }
  }

  return {
    progress: loop.progress,
    start: loop.start,
    stop: loop.stop,
    wake: loop.wake,
    isDue: () => leases.hasDue(),
    refreshDue: loop.runOnce
  }
}
