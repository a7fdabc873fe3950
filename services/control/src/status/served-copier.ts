import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { hourOf, readServed, type ServedRows } from '@tollgate/state/served/served.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { shownDays } from './served-days.ts'
import { storeServedHours } from './served-hours.ts'

/** Redis keeps an hour for 26 hours after its last report. So nothing is lost if copies fail for a day. */
const intervalMs = 600_000
/** Demo data arrives soon after the first start. */
const [firstIntervalMs, firstMs] = [10_000, 180_000]
/** Demo data has older hours than gateways report. Redis answers in a moment for hours that it does not have. */
const readHours = shownDays * 24
/** So that no round trip keeps Redis busy for long. */
const hoursPerTrip = 10 * 24

export interface ServedCopierOptions {
  orm: Orm
  redis: RedisLink
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/**
 * Copies to PostgreSQL how many requests of each model succeeded and failed in the hours that have ended. Usually one
 * copy an hour finds something new. Any number of replicas may run this.
 */
export function createServedCopier({ orm, redis, clock, log }: ServedCopierOptions): BackgroundLoop {
  const startedAt = performance.now()
  return createBackgroundLoop({
    readiness: redis,
    log,
    intervalMs: () => (performance.now() - startedAt < firstMs ? firstIntervalMs : intervalMs),
    describeError: withoutCommand,
    round: () => copyServedHours(orm, redis, clock().getTime()),
    messages: {
      failing: 'the history of the status is not copied from Redis to PostgreSQL',
      recovered: 'the history of the status is copied from Redis to PostgreSQL again'
    }
  })
}

/** Copies the hours that have ended. @param now ms since the epoch @throws the error of Redis or the database */
export async function copyServedHours(orm: Orm, redis: RedisLink, now: number): Promise<void> {
  const running = hourOf(now)
  const hours = Array.from({ length: readHours }, (_, number) => running - readHours + number)
  const measured = new Map<number, ServedRows>()
  for (let from = 0; from < readHours; from += hoursPerTrip) {
    const some = hours.slice(from, from + hoursPerTrip)
    for (const [index, rows] of (await readServed(redis, some)).entries()) measured.set(some[index]!, rows)
  }
  await storeServedHours(orm, measured)
}
