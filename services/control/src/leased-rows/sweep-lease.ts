import {
  type BackgroundLoop,
  createBackgroundLoop,
  type LoopLog
} from '@tollgate/service/background/background-loop.ts'
import { isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { SharedTime } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import type { billingSweeps, invoiceSweeps } from '../database/schema/billing.ts'
import { sweeps as userSweeps } from '../database/schema/users.ts'
import { LeasedRows } from './leased-rows.ts'

type SweepTable = typeof userSweeps | typeof billingSweeps | typeof invoiceSweeps

/** How often each replica checks whether a sweep is due. */
const checkMs = 30_000
/** Longer than any step. If a replica dies during a sweep, another one takes over after this time. */
const leaseMs = 60_000

/** A sweep, such as the comparison of all users with the provider. Only the replica with the lease works on it. */
export interface Lease {
  /** The progress. */
  readonly sweep: {
    readonly startedAt: Date
    /** The next page of the list; null after the last one. */
    readonly page: number | null
  }
  /** PostgreSQL's time, which also the start has: what a sweep writes and compares is by this clock. */
  now(): Date
  /** Stores the progress and renews the lease. @throws Error if another replica has taken over */
  keep(page: number | null): Promise<void>
  /** @param isDone false keeps the progress for the next replica that checks; true stores the time in `finishedAt` */
  end(isDone: boolean): Promise<void>
}

/**
 * Repeats `look`, which claims a sweep if one is due. Any number of replicas may run this. The first check is delayed
 * and pauses vary, so that replicas that started together check at different times.
 */
export function createSweepLoop(
  look: () => Promise<unknown>,
  log: LoopLog,
  messages: { failing: string; recovered: string }
): BackgroundLoop {
  return createBackgroundLoop({
    round: look,
    intervalMs: () => checkMs * (0.5 + Math.random()),
    isFirstDelayed: true,
    log,
    messages
  })
}

/**
 * Starts a sweep if one is due, or continues one whose replica died.
 *
 * @returns null if no sweep is due, or another replica works on it
 */
export async function claimSweep(
  orm: Orm,
  intervalMs: number,
  table: SweepTable = userSweeps,
  time?: SharedTime
): Promise<Lease | null> {
  // The tables differ only in their names.
  const sweeps = table as typeof userSweeps
  const rows = new LeasedRows(orm, { table: sweeps, key: 'one', lease: 'leaseEndsAt', leaseMs }, time)
  const isUnfinished = or(isNull(sweeps.finishedAt), lt(sweeps.finishedAt, sweeps.startedAt))
  const claimed = await rows.claimOnly(
    { startedAt: rows.now(), page: 1 },
    {
      where: or(isUnfinished, lte(sweeps.startedAt, rows.after(-intervalMs))),
      set: {
        startedAt: sql`case when ${isUnfinished} then ${sweeps.startedAt} else excluded.started_at end`,
        page: sql`case when ${isUnfinished} then ${sweeps.page} else 1 end`
      }
    }
  )
  if (claimed === null) return null

  let row = claimed
  const claimedAtMs = Math.max(row.leaseEndsAt.getTime() - leaseMs, row.startedAt.getTime())
  const heldSince = performance.now()
  return {
    get sweep() {
      return row
    },
    now: () => new Date(claimedAtMs + Math.floor(performance.now() - heldSince)),
    async keep(page) {
      const renewal = await rows.extend(row, { page })
      if (renewal === null) throw new Error('another replica has taken over this sweep')
      row = renewal
    },
    async end(isDone) {
      // PostgreSQL's clock may have gone back: a sweep that ends before it starts would count as unfinished.
      const finishedAt = sql`greatest(${rows.now()}, ${sweeps.startedAt})`
      await rows.end(row, isDone ? { finishedAt } : {})
    }
  }
}
