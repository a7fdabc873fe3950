import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { forgetUses, type LastUses, readUses } from '@tollgate/state/last-uses/last-uses.ts'
import { type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'

/** Rows per statement, so that each stays short. */
const usesPerStep = 1000

export interface UseCopierOptions {
  database: Database
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from one copy to the next. Gateways store uses every second; a listing is at most 5 s old. */
  intervalMs?: number
}

/** Copies the times of last use from Redis to PostgreSQL. Gateways store them in Redis. */
export function createUseCopier({ database, redis, log, intervalMs = 2000 }: UseCopierOptions): BackgroundLoop {
  return createBackgroundLoop({
    readiness: redis,
    log,
    intervalMs,
    describeError: withoutCommand,
    round: (signal) => copyLastUses(database.orm, redis, signal),
    messages: {
      failing: 'last uses of keys are not copied from Redis to PostgreSQL',
      recovered: 'last uses of keys are copied from Redis to PostgreSQL again'
    }
  })
}

/**
 * Copies all stored uses, and removes each from Redis once PostgreSQL has it. It also removes uses of unknown keys.
 *
 * @param stopping checked between steps; the next call copies the rest
 * @throws the error of Redis or the database; no use is lost
 */
export async function copyLastUses(orm: Orm, redis: RedisLink, stopping?: AbortSignal): Promise<void> {
  const uses = [...(await readUses(redis))]
  for (let from = 0; from < uses.length && stopping?.aborted !== true; from += usesPerStep) {
    const some = new Map(uses.slice(from, from + usesPerStep))
    for (const key of await storeUses(orm, some)) some.delete(key)
    await forgetUses(redis, some)
  }
}

/**
 * Stores uses, unless a later use is stored. It skips rows that another transaction has locked: waiting for many rows
 * could deadlock with a transaction that changes several keys.
 *
 * A use in the future counts as now. Otherwise a gateway with a fast clock could store a time that no later use
 * replaces.
 *
 * @returns the keys that were skipped
 */
async function storeUses(orm: Orm, uses: LastUses): Promise<string[]> {
  const skipped = await queryRows<{ id: string }>(
    orm,
    sql`
      with noted as (
        select key as id, least(to_timestamp(value::float8 / 1000), now()) as at
        from json_each_text(${JSON.stringify(Object.fromEntries(uses))}::text::json)
      ), due as (
        select ${keys.id} as id, noted.at from ${keys} join noted on noted.id = ${keys.id}
        where ${keys.lastUsedAt} is null or ${keys.lastUsedAt} < noted.at
      ), free as (
        select ${keys.id} as id from ${keys} where ${keys.id} in (select id from due) for no key update skip locked
      ), stored as (
        update ${keys} set last_used_at = greatest(${keys.lastUsedAt}, due.at)
        from due join free on free.id = due.id
        where ${keys.id} = due.id
        returning ${keys.id} as id
      )
      select id from due where id not in (select id from stored)`
  )
  return skipped.map(({ id }) => id)
}
