import {
  type BackgroundLoop,
  createBackgroundLoop,
  type LoopLog
} from '@tollgate/service/background/background-loop.ts'
import { type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'

/** A loop that works off what is due in PostgreSQL. */
export interface WatchedLoop {
  /** The condition that a round now finds work. */
  isDue(): SQL
  wake(): void
}

/** How often a watched loop looks by itself, ms: while the watch fails, or after a failed round. */
export const watchedIntervalMs = 15_000
const intervalMs = 1000

/** Whether a part is a loop that can be watched. */
export const isWatched = (part: object): part is WatchedLoop => 'isDue' in part && 'wake' in part

/**
 * Asks PostgreSQL each second, in one statement for all loops, which of them find work, and wakes those. Each of them
 * would otherwise ask by itself, and nearly always find none.
 *
 * @param loops may grow until it starts
 */
export function createDueWatch(orm: Orm, loops: readonly WatchedLoop[], log: LoopLog): BackgroundLoop {
  return createBackgroundLoop({
    async round() {
      const conditions = loops.map((loop, number) => sql`${loop.isDue()} as ${sql.identifier(`due_${number}`)}`)
      const [found] = await queryRows<Record<string, boolean>>(orm, sql`select ${sql.join(conditions, sql`, `)}`)
      for (const [number, loop] of loops.entries()) if (found![`due_${number}`] === true) loop.wake()
    },
    intervalMs,
    log,
    messages: {
      failing: 'control cannot look for due work; each part looks for its own every 15 s',
      recovered: 'control looks for due work again'
    }
  })
}
