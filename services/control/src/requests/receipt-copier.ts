import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { accountShards } from '@tollgate/state/keyspace/names.ts'
import { type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { and, gte, isNotNull, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { requests } from '../database/schema/requests.ts'
import { users } from '../database/schema/users.ts'
import { type CopiedReceipts, copyReceipts } from './copy-receipts.ts'
import { maintainDays, readKeptDays } from './request-days.ts'
import { type OnStored, storeReceipts } from './store-receipts.ts'

const rowsPerStep = 1000

/**
 * Erases the clients' addresses from requests of accounts whose owner was deleted since a time. Everything else in these rows
 * is about the account, whose id no longer leads to a person. An index has only rows with an address.
 *
 * @returns how many rows were changed
 */
function forgetAddresses(orm: Orm, since: Date, isStopping: () => boolean): Promise<number> {
  return inSteps(rowsPerStep, isStopping, async () => {
    const deleted = orm
      .select({ id: users.id })
      .from(users)
      .where(and(isNotNull(users.deletedAt), gte(users.deletedAt, since)))
    const rows = await queryRows(
      orm,
      sql`
        update ${requests} set address = null
        where (${requests.id}, ${requests.at}) in (
          select id, at from ${requests} where address is not null and account_id in ${deleted} limit ${rowsPerStep}
        )
        returning 1 as changed`
    )
    return rows.length
  })
}

const maintenanceMs = 3_600_000

export interface ReceiptCopierOptions {
  readonly database: Pick<Database, 'orm'>
  readonly redis: RedisLink
  readonly clock: Clock
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Past days that the log keeps, besides the present one. */
  readonly days: number
  /** Milliseconds between the starts of two rounds. */
  readonly intervalMs?: number
  readonly onStored?: OnStored | undefined
  /** Called after each round, with the time when it began (`performance.now()`): without a rest, the log has all earlier receipts. */
  readonly onCopied?: (copied: CopiedReceipts, beganAt: number) => void
}

/**
 * Copies receipts from Redis, where gateways leave them, to the request log. At the start and every hour, it also adds the
 * partitions of the next days and drops the days that are too old.
 */
export function createReceiptCopier(options: ReceiptCopierOptions): BackgroundLoop {
  const { database, redis, clock, log, days, intervalMs = 1000, onStored, onCopied } = options
  const { orm } = database
  let maintainedAt: number | null = null
  let hasBacklog = false

  async function maintain(signal: AbortSignal): Promise<void> {
    const kept = await readKeptDays(orm, redis, clock, days)
    const dropped = await maintainDays(orm, kept)
    if (dropped.length > 0) log.info({ days: dropped }, 'old days of the request log dropped')
    await forgetAddresses(orm, new Date(kept.from), () => signal.aborted)
  }

  return createBackgroundLoop({
    readiness: redis,
    log,
    intervalMs,
    describeError: withoutCommand,
    async round(signal, isFailing) {
      const beganAt = performance.now()
      if (maintainedAt === null || beganAt - maintainedAt > maintenanceMs) {
        maintainedAt = beganAt
        // A day that is missing is added when a receipt needs it.
        await maintain(signal).catch((err: unknown) => {
          if (!signal.aborted)
            log.warn({ err }, 'the days of the request log could not be kept; the next try is in an hour')
        })
      }
      let kept: ReturnType<typeof readKeptDays> | null = null
      const copied = await copyReceipts({
        redis,
        signal,
        hasBacklog: hasBacklog || isFailing,
        beginAt: Math.floor(Math.random() * accountShards.length),
        async store(receipts, malformed) {
          kept ??= readKeptDays(orm, redis, clock, days)
          return storeReceipts(orm, receipts, { kept: await kept, malformed, onStored })
        }
      })
      hasBacklog = copied.rest !== 'none'
      const skipped = Object.values(copied.skipped).reduce((sum, count) => sum + count, 0)
      if (skipped > 0) log.warn({ ...copied.skipped }, 'receipts of requests were not stored')
      onCopied?.(copied, beganAt)
      return copied.rest === 'ours' ? 'again' : null
    },
    messages: {
      failing: 'receipts of requests are not copied from Redis to PostgreSQL',
      recovered: 'receipts of requests are copied from Redis to PostgreSQL again'
    }
  })
}
