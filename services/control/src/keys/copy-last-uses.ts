import { forgetUses, type LastUses, readUses } from '@tollgate/contracts/redis/last-uses.ts'
import { type RedisLink, withoutCommand } from '@tollgate/contracts/redis/redis-link.ts'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { keys } from '../database/schema.ts'
import { WakeableSleep } from '../wakeable-sleep.ts'

/** Few enough that a statement takes no noticeable time. */
const usesPerStep = 1000

export type UseCopierOptions = {
  database: Database
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds between copies. Gateways note uses each second, and a listing is at most 5 s behind. */
  intervalMs?: number
}

/** Copies when keys were last used from Redis, where gateways note it, to Postgres. Any number of replicas may run one. */
export type UseCopier = {
  start(): void
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

export function createUseCopier({ database, redis, log, intervalMs = 2000 }: UseCopierOptions): UseCopier {
  const stopping = new AbortController()
  let loop: Promise<void> | null = null
  const pause = new WakeableSleep()

  async function runLoop(): Promise<void> {
    let isFailing = false
    while (!stopping.signal.aborted) {
      // A Redis that is away, as at every start, is told of by its connection.
      if (!redis.isReady()) {
        await sleep()
        continue
      }
      try {
        await copyLastUses(database.orm, redis, stopping.signal)
        if (isFailing) log.info('uses of keys are copied again')
        isFailing = false
      } catch (error) {
        const err = error instanceof Error ? withoutCommand(error) : error
        if (!isFailing && !stopping.signal.aborted) log.warn({ err }, 'uses of keys are not copied')
        isFailing = true
      }
      await sleep()
    }
  }

  async function sleep(): Promise<void> {
    if (!stopping.signal.aborted) await pause.sleep(intervalMs)
  }

  return {
    start() {
      loop ??= runLoop()
    },
    async stop() {
      stopping.abort()
      pause.wake()
      await loop
    }
  }
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
