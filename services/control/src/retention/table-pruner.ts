import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type Clock, earliestTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { oldRows, type Retention } from './old-rows.ts'

const dayMs = 86_400_000
const intervalMs = 3_600_000

/**
 * Deletes rows older than their retention, at the start and every hour. If a table fails, it is logged and tried again
 * an hour later. Any number of replicas may run this.
 *
 * @param onExpiredExports called with the number of receipts that no collector took within a week
 */
export function createTablePruner(
  { orm }: Database,
  retention: Retention,
  clock: Clock,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
  onExpiredExports: (receipts: number) => void
): BackgroundLoop {
  const messages = {
    failing: 'old rows cannot be deleted; the next try is in an hour',
    recovered: 'old rows are deleted again'
  }
  const loop = createBackgroundLoop({ round, intervalMs, log, messages })
  const stopping = () => loop.signal.aborted

  /** @throws the first failure, after all other tables were pruned */
  async function round(): Promise<void> {
    const failures: Error[] = []
    for (const rows of Object.values(oldRows)) {
      if (stopping()) return
      const { what, kept, prune } = rows
      const days = typeof kept === 'number' ? kept : retention[kept]
      try {
        const now = await earliestTime(orm, null, clock)
        const count = await prune(orm, new Date(now.getTime() - days * dayMs), stopping)
        if (count > 0) log.info({ count }, `old ${what} deleted`)
        if (count > 0 && rows === oldRows.exports) onExpiredExports(count)
      } catch (cause) {
        failures.push(new Error(`old ${what} could not be deleted`, { cause }))
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  return loop
}
