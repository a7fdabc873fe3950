import { accountShards, deadlinesName } from '@tollgate/state/keyspace/names.ts'
import { tryAll } from '@tollgate/state/link/execute.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type Reaped, reap } from '@tollgate/state/settlement/reap.ts'

/** Time for the settlement after the longest request, ms. */
const settlementMs = 60_000

/** @returns how long a hold lasts, ms: longer than any request */
export const holdMsOf = (maxRequestMs: number): number => maxRequestMs + settlementMs

const sweepMs = 15_000
/**
 * Maximum accounts of a shard per sweep, and holds of an account per script, so that other commands wait only briefly.
 */
const maxAccounts = 100
const maxHolds = 100

/** Ends overdue holds: before an admission of their account, and in a sweep over all accounts. */
export interface Reaper {
  /**
   * Ends a bounded number of an account's overdue holds. Concurrent calls for the same account share one command.
   *
   * @throws RedisAwayError, or another error of ioredis
   */
  reap(account: string): Promise<Reaped>
  start(): void
  /**
   * Sweeps all shards once. Several gateways may sweep at the same time.
   *
   * @throws RedisAwayError, or another error of ioredis
   */
  sweep(): Promise<void>
  stop(): Promise<void>
}

/**
 * @param holdMs how long a hold lasts, ms
 * @param receiptBytes memory in Redis for the receipts of a shard; 0 if requests have none
 */
export function createReaper(
  redis: RedisLink,
  holdMs: number,
  onReaped: (reaped: Reaped) => void,
  onError: (error: unknown) => void,
  receiptBytes = 0
): Reaper {
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> | null = null
  const reaping = new Map<string, Promise<Reaped>>()

  function reapSome(account: string): Promise<Reaped> {
    let running = reaping.get(account)
    if (running === undefined) {
      running = reap(redis, account, maxHolds, holdMs, receiptBytes)
        .then((reaped) => {
          onReaped(reaped)
          return reaped
        })
        .finally(() => reaping.delete(account))
      reaping.set(account, running)
    }
    return running
  }

  async function sweep(): Promise<void> {
    const results = await tryAll(
      redis,
      accountShards,
      (shard) => shard,
      (pipeline, shard) => pipeline.tgFindOverdue(deadlinesName(shard), maxAccounts)
    )
    let failure: unknown = null
    for (const [error, accounts] of results) {
      try {
        if (error !== null) throw error
        for (const account of accounts as string[]) await reapAll(account)
      } catch (error) {
        // If one Redis is down, the shards of the others are still swept.
        failure ??= error
      }
    }
    if (failure !== null) throw failure
  }

  async function reapAll(account: string): Promise<void> {
    for (;;) {
      const { charged, released } = await reapSome(account)
      if (charged + released < maxHolds) return
    }
  }

  function sweepOnce(): Promise<void> {
    if (!redis.isReady()) return Promise.resolve()
    sweeping ??= sweep()
      .catch(onError)
      .finally(() => {
        sweeping = null
      })
    return sweeping
  }

  return {
    reap: reapSome,
    start() {
      timer ??= setInterval(sweepOnce, sweepMs).unref()
    },
    sweep,
    async stop() {
      clearInterval(timer)
      await sweeping
    }
  }
}
