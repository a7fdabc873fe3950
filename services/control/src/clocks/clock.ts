import type { KeyScope } from '@tollgate/contracts/keys/secret.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { type RedisLink, readAnyRedisTime, readRedisTime } from '@tollgate/state/link/redis-link.ts'
import { type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'

/** The time of day, injected so that tests can control it. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/**
 * A time that is the same for all replicas, whatever their own clocks say, as a part of a statement. Leases, and when
 * something is due, are judged by it: else a replica whose clock is ahead would repeat what another one is still doing.
 */
export type SharedTime = () => SQL

/**
 * The time of PostgreSQL when the statement began, in whole ms. Stable within the statement, so that an index can find
 * what is due.
 */
export const databaseClock: SharedTime = () => sql`date_trunc('milliseconds', statement_timestamp())`

/** Some milliseconds after a time, or before it. */
export const timeAfter = (time: SharedTime, ms: number): SQL =>
  sql`(${time()} + ${ms}::float8 * interval '1 millisecond')`

/** PostgreSQL's time in whole ms since the epoch, as a column of a query. */
export const databaseNowMs = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::float8`.mapWith(Number)

/** Reads PostgreSQL's time in whole ms since the epoch. @throws the query's error */
export async function readDatabaseTime(orm: Orm): Promise<number> {
  return Date.parse(await databaseTime(orm))
}

/** Reads PostgreSQL's time with its microseconds, in ISO 8601. @throws the query's error */
export async function databaseTime(orm: Orm): Promise<string> {
  const [row] = await queryRows<{ now: string }>(orm, sql`select to_json(clock_timestamp()) #>> '{}' as now`)
  return row!.now
}

/**
 * Reads the earliest time of three clocks: this process's, PostgreSQL's and that of Redis, if it answers. Whatever is
 * too old by it is too old by every clock. So a clock that is ahead never makes anything be deleted early.
 *
 * @param redis null to leave it out
 * @throws the error of the query to PostgreSQL
 */
export async function earliestTime(orm: Orm, redis: RedisLink | null, clock: Clock): Promise<Date> {
  const ofRedis = redis === null ? null : await readAnyRedisTime(redis)
  const time = Math.min(clock().getTime(), await readDatabaseTime(orm))
  return new Date(Math.floor(Math.min(time, ofRedis ?? time)))
}

/**
 * Reads the present time from the clock that later decides whether a secret still works. For inference keys that is the
 * Redis process that admits their requests, for management keys PostgreSQL. While Redis is unavailable: PostgreSQL.
 *
 * @throws the error of the query to PostgreSQL
 */
export async function judgingTime(
  orm: Orm,
  redis: Pick<RedisLink, 'nodeOf'>,
  accountId: string,
  scope: KeyScope
): Promise<Date> {
  if (scope === 'inference') {
    try {
      return new Date(Math.floor(await readRedisTime(redis.nodeOf(accountShard(accountId)))))
    } catch {
      // The connection logs that Redis is unavailable.
    }
  }
  return new Date(Math.floor(await readDatabaseTime(orm)))
}
