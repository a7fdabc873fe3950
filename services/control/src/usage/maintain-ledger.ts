import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type Clock, earliestTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { foldLedger, type LedgerRetention } from './fold-ledger.ts'

/** How long the usage copier may wait for one call. */
const timeoutMs = 500

export interface MaintainLedgerOptions {
  database: Database
  redis: RedisLink
  clock: Clock
  retention: LedgerRetention
}

/** Folds the ledger for up to half a second. @returns whether nothing is left to fold */
export async function maintainLedger(
  { database, redis, clock, retention }: MaintainLedgerOptions,
  signal: AbortSignal
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  const isStopping = () => signal.aborted || performance.now() > deadline
  const now = await earliestTime(database.orm, redis, clock)
  return (await foldLedger(database.orm, retention, now, isStopping)).isDone
}
