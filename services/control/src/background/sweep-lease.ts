import {
  type BackgroundLoop,
  createBackgroundLoop,
  type LoopLog
} from '@tollgate/service/background/background-loop.ts'
import { and, eq, isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { Clock } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import type { billingSweeps, invoiceSweeps } from '../database/schema/billing.ts'
import { sweeps as userSweeps } from '../database/schema/users.ts'

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
  /** Stores the progress and renews the lease. @throws Error if another replica has taken over */
  keep(page: number | null): Promise<void>
  /** @param isDone false keeps the progress for the next replica that checks; true stores the time in `finishedAt` */
  end(isDone: boolean): Promise<void>
}

/**
 * Repeats `look`, which claims a sweep if one is due. Any number of replicas may run this. The first check is delayed and
 * pauses vary, so that replicas that started together check at different times.
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
  clock: Clock,
  intervalMs: number,
  sweeps: SweepTable = userSweeps
): Promise<Lease | null> {
  const now = clock()
  let leaseEndsAt = new Date(now.getTime() + leaseMs)
  const isUnfinished = or(isNull(sweeps.finishedAt), lt(sweeps.finishedAt, sweeps.startedAt))
  const isDue = lte(sweeps.startedAt, new Date(now.getTime() - intervalMs))
  const [row] = await orm
    .insert(sweeps)
    .values({ startedAt: now, page: 1, leaseEndsAt })
    .onConflictDoUpdate({
      target: sweeps.one,
      set: {
        startedAt: sql`case when ${isUnfinished} then ${sweeps.startedAt} else excluded.started_at end`,
        page: sql`case when ${isUnfinished} then ${sweeps.page} else 1 end`,
        leaseEndsAt
      },
      setWhere: and(lte(sweeps.leaseEndsAt, now), or(isUnfinished, isDue))
    })
    .returning({ startedAt: sweeps.startedAt, page: sweeps.page })
  if (row === undefined) return null

  let sweep: Lease['sweep'] = row
  // Another replica's clock may be ahead: a sweep that ends before it starts would count as unfinished.
  const notBeforeStart = (at: Date) => new Date(Math.max(at.getTime(), sweep.startedAt.getTime()))
  // The stored end identifies our lease: a replica that takes over stores another one.
  const isOurs = () => eq(sweeps.leaseEndsAt, leaseEndsAt)
  return {
    get sweep() {
      return sweep
    },
    async keep(page) {
      const later = new Date(Math.max(clock().getTime() + leaseMs, leaseEndsAt.getTime() + 1))
      const kept = await orm
        .update(sweeps)
        .set({ page, leaseEndsAt: later })
        .where(isOurs())
        .returning({ one: sweeps.one })
      if (kept.length === 0) throw new Error('another replica has taken over this sweep')
      leaseEndsAt = later
      sweep = { ...sweep, page }
    },
    async end(isDone) {
      const at = clock()
      await orm
        .update(sweeps)
        .set({ leaseEndsAt: at, ...(isDone && { finishedAt: notBeforeStart(at) }) })
        .where(isOurs())
    }
  }
}
