import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { type AccountShard, accountShards, receiptsName } from '@tollgate/state/keyspace/names.ts'
import { findFilled } from '@tollgate/state/link/find-filled.ts'
import { type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { type FoundReceipts, forgetReceipts, readReceipts } from '@tollgate/state/receipts/receipts.ts'
import { and, gte, isNotNull, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { requests } from '../database/schema/requests.ts'
import { users } from '../database/schema/users.ts'
import { maintainDays, readKeptDays } from './request-days.ts'
import {
  type OnStored,
  type Skipped,
  type SkipReason,
  type StoredReceipts,
  skipReasons,
  storeReceipts
} from './store-receipts.ts'

const rowsPerStep = 1000

/**
 * Erases the clients' addresses from requests of accounts whose owner was deleted since a time. Everything else in
 * these rows is about the account, whose id no longer leads to a person. An index has only rows with an address.
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
  /**
   * Called after each round, with the time when it began (`performance.now()`): without a rest, the log has all earlier
   * receipts.
   */
  readonly onCopied?: (copied: CopiedReceipts, beganAt: number) => void
}

/**
 * Copies receipts from Redis, where gateways leave them, to the request log. At the start and every hour, it also adds
 * the partitions of the next days and drops the days that are too old.
 */
export function createReceiptCopier(options: ReceiptCopierOptions): BackgroundLoop {
  const { database, redis, clock, log, days, intervalMs = 1000, onStored, onCopied } = options
  const { orm } = database
  let maintainedAt: number | null = null
  let hasBacklog = false

  async function maintain(signal: AbortSignal): Promise<void> {
    const span = await readKeptDays(orm, redis, clock, days)
    const dropped = await maintainDays(orm, span)
    if (dropped.length > 0) log.info({ days: dropped }, 'old days of the request log dropped')
    await forgetAddresses(orm, new Date(span.from), () => signal.aborted)
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
      let span: ReturnType<typeof readKeptDays> | null = null
      const copied = await copyReceipts({
        redis,
        signal,
        hasBacklog: hasBacklog || isFailing,
        beginAt: Math.floor(Math.random() * accountShards.length),
        async store(receipts, malformed) {
          span ??= readKeptDays(orm, redis, clock, days)
          return storeReceipts(orm, receipts, { kept: await span, malformed, onStored })
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

/** Shards that Redis reads at once: few enough that requests of gateways do not wait for it. */
const shardsPerRead = 32
/**
 * Shards that are copied together while there is little to copy. All of them: a transaction for each few would take
 * most of the time of a round, and would leave the log behind the ledger on a busy machine.
 */
const shardsTogether = accountShards.length
/**
 * After a round that left some or failed: replicas divide the shards, and what cannot be stored holds up few others.
 */
const shardsTogetherInBacklog = 16
/**
 * Entries that are read at once, of all these shards: so a backlog needs the memory of some thousand receipts. A shard
 * that has more than others is read alone, with all of them. An entry has the receipts of requests that were settled
 * together.
 */
const entriesPerRead = 4000
/**
 * Reads of the same shards in one round. One account that floods its shard must not keep the round from the other
 * shards.
 */
const readsPerRound = 3

/** What one round of copying did. */
export interface CopiedReceipts {
  readonly copied: number
  readonly skipped: Skipped
  /**
   * What was left of shards with more than a round reads. `ours`: the next round should begin at once. `others`:
   * another replica copies them.
   */
  readonly rest: 'none' | 'ours' | 'others'
}

interface CopyReceiptsOptions {
  readonly redis: RedisLink
  /** Stores receipts. Must allow repetition. */
  readonly store: (receipts: readonly Receipt[], malformed: number) => Promise<StoredReceipts>
  /** The place in the list of shards to begin at. */
  readonly beginAt: number
  /** Whether the round before left some, or failed. */
  readonly hasBacklog: boolean
  /** Checked between steps. The next call copies the rest. */
  readonly signal?: AbortSignal
}

/**
 * Copies the receipts that wait in Redis, and forgets them there once they are stored. After a crash between both, the
 * next call stores them again, which changes nothing. Of a shard with very many, the next call copies the rest.
 *
 * Replicas begin at different shards. So they divide the work when there is much of it: where another one has been,
 * nothing waits. A replica that finds most receipts of a shard stored leaves it to the other one, which is there now:
 * both would only wait for each other.
 *
 * @throws the first failure, after it tried all shards; or the signal's reason
 */
export async function copyReceipts(options: CopyReceiptsOptions): Promise<CopiedReceipts> {
  const { redis, store, beginAt, hasBacklog, signal } = options
  const total = { copied: 0, skipped: { malformed: 0, old: 0, ahead: 0 } satisfies Record<SkipReason, number> }
  const failures: unknown[] = []
  let rest: CopiedReceipts['rest'] = 'none'
  const shards = [...accountShards.slice(beginAt), ...accountShards.slice(0, beginAt)]
  const filled = new Set(await findFilled(redis, shards, receiptsName, 'XLEN'))
  const together = hasBacklog ? shardsTogetherInBacklog : shardsTogether
  for (let from = 0; from < shards.length; from += together) {
    let unread = shards.slice(from, from + together).filter((shard) => filled.has(shard))
    let isOthers = false
    for (let reads = 0; unread.length > 0 && reads < readsPerRound && !isOthers; reads++) {
      signal?.throwIfAborted()
      try {
        const entriesEach = Math.floor(entriesPerRead / unread.length)
        const batches = await readAll(redis, unread, entriesEach, failures)
        const receipts = batches.flatMap(({ entries }) => entries.flatMap((entry) => entry.receipts))
        const malformed = batches.reduce((sum, one) => sum + one.malformed.length, 0)
        if (receipts.length + malformed > 0) {
          const { changed, skipped } = await store(receipts, malformed)
          isOthers = changed < receipts.length / 2
          total.copied += receipts.length
          for (const reason of skipReasons) total.skipped[reason] += skipped[reason]
        }
        await Promise.all(batches.map(({ shard, entries }) => forgetEntries(redis, shard, entries)))
        unread = batches.filter(({ entries }) => entries.length >= entriesEach).map(({ shard }) => shard)
      } catch (error) {
        failures.push(error)
        unread = []
      }
    }
    if (unread.length > 0 && rest !== 'ours') rest = isOthers ? 'others' : 'ours'
  }
  if (failures.length > 0) throw failures[0]
  return { ...total, rest }
}

type Found = FoundReceipts & { readonly shard: AccountShard }

/** Reads shards. One that cannot be read adds its failure, and keeps out no other. */
async function readAll(
  redis: RedisLink,
  shards: readonly AccountShard[],
  entriesEach: number,
  failures: unknown[]
): Promise<Found[]> {
  const batches: Found[] = []
  for (let from = 0; from < shards.length; from += shardsPerRead) {
    const read = await Promise.allSettled(
      shards
        .slice(from, from + shardsPerRead)
        .map(async (shard) => ({ shard, ...(await readReceipts(redis, shard, entriesEach)) }))
    )
    for (const one of read) {
      if (one.status === 'rejected') failures.push(one.reason)
      else if (one.value.entries.length > 0) batches.push(one.value)
    }
  }
  return batches
}

async function forgetEntries(redis: RedisLink, shard: AccountShard, entries: FoundReceipts['entries']): Promise<void> {
  const last = entries.at(-1)
  if (last !== undefined) await forgetReceipts(redis, shard, last.id)
}
