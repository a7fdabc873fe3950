import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { type AccountShard, accountShards } from '@tollgate/state/keyspace/names.ts'
import { anyNode, type RedisLink, shardsByNode, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { forgetUsage, listUsage, readHour, readUsage, type UsageSelection } from '@tollgate/state/usage/usage.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Ledger } from './ledger.ts'

/** The number of rows in one round trip and in one statement. */
const rowsPerStep = 1000

interface CopyOptions {
  /** Default: all. */
  shards?: readonly AccountShard[]
  /** Checked between steps. The next call copies the rest. */
  signal?: AbortSignal
  /** Called for each row that cannot be read. The row stays as it is. */
  onMalformed?: (name: string, reason: string) => void
}

/**
 * Copies usage from Redis to the ledger: rows that changed since the last copy, final rows, or all. Then it takes the
 * copied rows off Redis' list of uncopied rows, or deletes the final ones.
 *
 * Interrupted calls can be repeated, by any number of replicas at once. Copies are absolute values with the row's
 * revision, so the ledger ends with the latest of each. Redis removes only what it stored: later usage is copied next
 * time.
 *
 * @throws the error of Redis or the ledger, or the signal's reason; nothing is lost then
 */
export async function copyUsage(
  ledger: Pick<Ledger, 'store'>,
  redis: RedisLink,
  selection: UsageSelection,
  { shards, signal, onMalformed }: CopyOptions = {}
): Promise<void> {
  for await (const page of listUsage(redis, selection, shards)) {
    const names = [...new Set(page)]
    for (let from = 0; from < names.length; from += rowsPerStep) {
      signal?.throwIfAborted()
      const batch = await readUsage(redis, names.slice(from, from + rowsPerStep))
      for (const { name, reason } of batch.malformed) onMalformed?.(name, reason)
      await ledger.store(batch.usages)
      await forgetUsage(redis, batch, selection === 'final')
    }
  }
}

export interface UsageCopierOptions {
  ledger: Ledger
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds between the starts of two rounds. Reports are at most 5 s behind. */
  intervalMs?: number
  /**
   * Called after each round, with the time when it began (`performance.now()`): all usage until then is in the ledger.
   */
  onCopied?: (beganAt: number) => void
  /** Called every hour, after all usage in Redis was copied, until it resolves with true. Copying waits for it. */
  maintain?: (signal: AbortSignal) => Promise<boolean>
}

/** Unreadable rows stay in Redis. At most so many are logged. */
const maxReported = 100

/** Copies usage from Redis, where gateways count it, to the ledger. */
export function createUsageCopier({
  ledger,
  redis,
  log,
  intervalMs = 1000,
  onCopied,
  maintain
}: UsageCopierOptions): BackgroundLoop {
  const reported = new Set<string>()
  let finalUpTo = 0
  let maintainedAt = 0

  function onMalformed(name: string, reason: string): void {
    if (reported.has(name) || reported.size === maxReported) return
    reported.add(name)
    log.warn({ name, reason }, 'a row of usage in Redis cannot be read; it stays there')
  }

  return createBackgroundLoop({
    readiness: redis,
    log,
    intervalMs,
    describeError: withoutCommand,
    async round(signal) {
      const beganAt = performance.now()
      finalUpTo = await copyRound(ledger, redis, finalUpTo, { signal, onMalformed })
      onCopied?.(beganAt)
      if (maintain === undefined || maintainedAt === finalUpTo) return
      try {
        if (await maintain(signal)) maintainedAt = finalUpTo
      } catch (err) {
        maintainedAt = finalUpTo
        if (!signal.aborted)
          log.warn({ err }, 'old hours of the ledger could not be folded; the next try is in an hour')
      }
    },
    messages: {
      failing: 'usage is not copied from Redis to PostgreSQL',
      recovered: 'usage is copied from Redis to PostgreSQL again'
    }
  })
}

/**
 * Copies usage from Redis to the ledger: changed rows, or all rows after the database was restored, since it may lack
 * earlier copies. Once an hour, also stores final rows and removes them from Redis.
 *
 * @param finalUpTo the hour that the last round returned, 0 at first
 * @returns the present hour of Redis' clock; all rows that were final by then are stored
 * @throws the error of Redis or the ledger, or the signal's reason; nothing is lost then
 */
export async function copyRound(
  ledger: Ledger,
  redis: RedisLink,
  finalUpTo: number,
  options: CopyOptions
): Promise<number> {
  const epoch = await ledger.uncopiedEpoch()
  if (epoch === null) await copyEverywhere(ledger, redis, 'changed', options)
  else {
    await copyEverywhere(ledger, redis, 'all', options)
    await ledger.noteCopied(epoch)
  }
  const hour = await readHour(anyNode(redis))
  if (hour !== finalUpTo) await copyEverywhere(ledger, redis, 'final', options)
  return hour
}

/** Copies usage from one Redis process after the other. @throws the first failure, after trying all processes */
async function copyEverywhere(
  ledger: Ledger,
  redis: RedisLink,
  selection: UsageSelection,
  { shards = accountShards, ...options }: CopyOptions
): Promise<void> {
  const failures: unknown[] = []
  for (const together of shardsByNode(redis, shards)) {
    try {
      await copyUsage(ledger, redis, selection, { ...options, shards: together })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
