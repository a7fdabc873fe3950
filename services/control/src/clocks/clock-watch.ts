import { createBackgroundLoop, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { type RedisLink, readRedisSkew, skewOf } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/connect.ts'
import { type Clock, readDatabaseTime } from './clock.ts'

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

const intervalMs = 10_000
/** A clock that is further off is logged as an error. */
const maxSkewMs = 60_000

export interface ClockWatchOptions {
  database: Pick<Database, 'orm'>
  redis: RedisLink
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Called after each comparison. */
  onCompared?: (skewMs: JudgedClocks['skewMs']) => void
}

/** Compares the clocks of control, PostgreSQL and Redis. Logs each change from right to wrong and back. */
export interface ClockWatch {
  readonly progress: LoopProgress
  start(): void
  /** Compares them now. Never rejects: it leaves out a clock that cannot be read. */
  look(): Promise<void>
  /** This process's clock. If the last comparison found it wrong by more than a minute, it is corrected. */
  readonly rightClock: Clock
  stop(): void
}

const names = { own: 'control', database: 'PostgreSQL', redis: 'Redis' } as const
type Watched = keyof typeof names

export function createClockWatch({ database, redis, clock, log, onCompared }: ClockWatchOptions): ClockWatch {
  const wrong = new Set<Watched>()
  const loop = createBackgroundLoop({
    round: compare,
    intervalMs,
    log,
    messages: { failing: 'clocks cannot be compared' }
  })
  const own = (): number => clock().getTime()
  let ownSkewMs = 0

  async function compare(): Promise<void> {
    const [ofDatabase, ofRedis] = await Promise.all([
      skewOf(() => readDatabaseTime(database.orm), own).catch(() => null),
      readRedisSkew(redis, own)
    ])
    // Skews are passed as times, relative to this process's clock.
    const { skewMs } = judgeClocks(0, ofDatabase, ofRedis)
    ownSkewMs = skewMs.own
    onCompared?.(skewMs)
    for (const watched of ['own', 'database', 'redis'] as const) report(watched, skewMs[watched])
  }

  /** @param skewMs null if it is unknown; then nothing changes */
  function report(watched: Watched, skewMs: number | null): void {
    if (skewMs === null) return
    const members = { clock: names[watched], skewSeconds: Math.round(skewMs / 1000) }
    const isWrong = Math.abs(skewMs) > maxSkewMs
    if (isWrong && !wrong.has(watched)) {
      wrong.add(watched)
      log.error(members, 'a clock is wrong by more than a minute; correct it, for example with NTP')
    } else if (!isWrong && wrong.delete(watched)) log.info(members, 'the clock is right again')
  }

  return {
    progress: loop.progress,
    start: loop.start,
    look: loop.runOnce,
    rightClock: () => new Date(own() - (Math.abs(ownSkewMs) > maxSkewMs ? ownSkewMs : 0)),
    // Does not await the running round: a silent database would keep the process from ending.
    stop: () => void loop.stop()
  }
}
