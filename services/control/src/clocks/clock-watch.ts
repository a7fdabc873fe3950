import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readRedisSkew, skewOf } from '@tollgate/state/link/redis-time.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connect.ts'
import { readDatabaseTime } from './database-time.ts'
import { judgeClocks } from './judge-clocks.ts'

const intervalMs = 10_000
/** A clock that is further off is told of as an error. */
const toleratedMs = 60_000

export type ClockWatchOptions = {
  database: Pick<Database, 'orm'>
  redis: RedisLink
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'error'>
}

/** Compares the clocks of control, PostgreSQL and Redis, and logs an error when one goes wrong, once until it is right. */
export type ClockWatch = {
  start(): void
  /** Compares them now. Never rejects: a clock that cannot be read is left out. */
  look(): Promise<void>
  stop(): void
}

const names = { own: 'control', database: 'PostgreSQL', redis: 'Redis' } as const
type Watched = keyof typeof names

export function createClockWatch({ database, redis, clock, log }: ClockWatchOptions): ClockWatch {
  const wrong = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  const own = (): number => clock().getTime()

  async function compare(): Promise<void> {
    const [ofDatabase, ofRedis] = await Promise.all([
      skewOf(() => readDatabaseTime(database.orm), own).catch(() => null),
      readRedisSkew(redis, own)
    ])
    // Skews are times, counted from this process's present.
    const { skewMs } = judgeClocks(0, ofDatabase, ofRedis)
    for (const watched of ['own', 'database', 'redis'] as const) tell(watched, skewMs[watched])
  }

  /** @param skewMs null if it is not known: then what was said last stands */
  function tell(watched: Watched, skewMs: number | null): void {
    if (skewMs === null) return
    const told = { clock: names[watched], skewSeconds: Math.round(skewMs / 1000) }
    const isWrong = Math.abs(skewMs) > toleratedMs
    if (isWrong && !wrong.has(watched)) {
      wrong.add(watched)
      log.error(told, 'a clock is wrong by more than a minute: set it right, for example with NTP')
    } else if (!isWrong && wrong.delete(watched)) log.info(told, 'the clock is right again')
  }

  function look(): Promise<void> {
    looking ??= compare().finally(() => {
      looking = null
    })
    return looking
  }

  return {
    start() {
      timer = setInterval(look, intervalMs)
      void look()
    },
    look,
    // What waits for a database that is silent would keep the process.
    stop: () => clearInterval(timer)
  }
}
