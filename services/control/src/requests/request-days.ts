import { type RedisLink, readAnyRedisTime } from '@tollgate/state/link/redis-link.ts'
import { sql } from 'drizzle-orm'
import { type Clock, readDatabaseTime } from '../clocks/clock.ts'
import { type Orm, queryRows } from '../database/connect.ts'

export const dayMs = 86_400_000
/** Days that get their partition before they begin. */
const daysAhead = 2
/** A day is dropped in the next hour if its lock is not free: waiting for the lock would block other queries. */
const lockTimeoutMs = 2000

/**
 * The days that the request log keeps, in ms since the epoch: `from` is the first moment of the first day, `to` is
 * exclusive.
 */
export interface KeptDays {
  readonly from: number
  readonly to: number
  /** The first moments of the present day, by the earliest and the latest clock. */
  readonly today: readonly [earliest: number, latest: number]
}

/**
 * Decides which days are kept. A wrong clock must not delete anything, and must not refuse receipts of the present day:
 * so the earliest clock says what is too old, and the latest what is too far ahead.
 *
 * @param times what the clocks say, ms since the epoch
 */
export function keptDays(times: readonly number[], days: number): KeptDays {
  const today = [startOfDay(Math.min(...times)), startOfDay(Math.max(...times))] as const
  return { from: today[0] - days * dayMs, to: today[1] + (daysAhead + 1) * dayMs, today }
}

/** Reads the clocks of this process, PostgreSQL and Redis, if it answers. @throws the error of PostgreSQL */
export async function readKeptDays(orm: Orm, redis: RedisLink, clock: Clock, days: number): Promise<KeptDays> {
  const ofRedis = await readAnyRedisTime(redis)
  const times = [clock().getTime(), await readDatabaseTime(orm)]
  return keptDays(ofRedis === null ? times : [...times, ofRedis], days)
}

/**
 * Adds the partitions of today and of the next days, and drops the days that are not kept any more. Any number of
 * replicas may do this at once.
 *
 * @returns the names of the dropped partitions
 */
export async function maintainDays(orm: Orm, { from, today }: KeptDays): Promise<string[]> {
  const next = today.flatMap((day) => Array.from({ length: daysAhead + 1 }, (_, index) => day + index * dayMs))
  await addDays(orm, next)
  return dropDaysBefore(orm, from)
}

/** Adds the partitions of days that lack them. @param times any moments of the days, ms since the epoch */
export async function addDays(orm: Orm, times: Iterable<number>): Promise<void> {
  for (const day of new Set([...times].map(startOfDay))) {
    await orm.execute(sql`select add_request_day(${new Date(day).toISOString()}::timestamptz)`)
  }
}

/** The first moments of the days that have a partition, ms since the epoch, oldest first. */
export async function listDays(orm: Orm): Promise<number[]> {
  const rows = await queryRows<{ day: string }>(
    orm,
    sql`
      select replace(substr(relname::text, 10), '_', '-') as day from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'requests'::regclass and relname ~ '^requests_[0-9]{4}_[0-9]{2}_[0-9]{2}$'
      order by 1`
  )
  return rows.map(({ day }) => Date.parse(`${day}T00:00:00Z`))
}

async function dropDaysBefore(orm: Orm, from: number): Promise<string[]> {
  const dropped: string[] = []
  for (const day of await listDays(orm)) {
    if (day >= from) break
    const text = new Date(day).toISOString()
    await orm.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = ${sql.raw(String(lockTimeoutMs))}`)
      const [row] = await queryRows<{ dropped: boolean }>(
        tx,
        sql`select drop_request_day(${text}::timestamptz) as dropped`
      )
      if (row!.dropped) dropped.push(text.slice(0, 10))
    })
  }
  return dropped
}

export const startOfDay = (time: number): number => Math.floor(time / dayMs) * dayMs
