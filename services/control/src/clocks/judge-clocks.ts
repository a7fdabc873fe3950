/** The agreed time and how far each clock is off. Milliseconds; a skew is above 0 for a clock that is ahead. */
export interface JudgedClocks {
  /** The agreed time, since the epoch. */
  nowMs: number
  skewMs: { own: number; database: number | null; redis: number | null }
}

/**
 * Decides which time counts: the median of three clocks, so one wrong clock never decides. Without Redis, PostgreSQL's,
 * which all replicas of control share; without PostgreSQL, this process's own.
 *
 * @param own this process's clock, ms since the epoch
 * @param database PostgreSQL's at the same instant; null if unknown
 * @param redis that of Redis at the same instant; null if unknown
 */
export function judgeClocks(own: number, database: number | null, redis: number | null): JudgedClocks {
  const nowMs = database === null ? own : redis === null ? database : medianOf(own, database, redis)
  return {
    nowMs,
    skewMs: {
      own: own - nowMs,
      database: database === null ? null : database - nowMs,
      redis: redis === null ? null : redis - nowMs
    }
  }
}

const medianOf = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
