import { forgetUses, type LastUses, readUses } from '@tollgate/state/last-uses/last-uses.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type CopyLoop, createCopyLoop } from '../copy-loop.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { keys } from '../database/schema.ts'

/** Few enough that a statement takes no noticeable time. */
const usesPerStep = 1000

export type UseCopierOptions = {
  database: Database
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from the start of a copy to the start of the next. Gateways note uses each second, and a listing is at most 5 s behind. */
  intervalMs?: number
}

/** Copies when keys were last used from Redis, where gateways note it, to Postgres. */
export function createUseCopier({ database, redis, log, intervalMs = 2000 }: UseCopierOptions): CopyLoop {
  return createCopyLoop({
    redis,
    log,
    intervalMs,
    copy: (signal) => copyLastUses(database.orm, redis, signal),
    messages: { failing: 'uses of keys are not copied', recovered: 'uses of keys are copied again' }
  })
}

/**
 * Copies what is noted, and forgets it in Redis once it is stored. Uses of keys that do not exist are forgotten, too.
 *
 * @param stopping looked at between steps: what is left then is for the next time
 * @throws what Redis or the database fails with; nothing is lost then
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
 * Stores uses, each unless a later one is stored. Rows that somebody else is changing are passed over: who waits for many
 * rows can deadlock with whoever changes several keys, and one of both would fail.
 *
 * A gateway whose clock is fast must not put a key's last use into the future, where it would stay.
 *
 * @returns the keys that were passed over
 */
async function storeUses(orm: Orm, uses: LastUses): Promise<string[]> {
  const passedOver = await queryRows<{ id: string }>(
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
  return passedOver.map(({ id }) => id)
}
