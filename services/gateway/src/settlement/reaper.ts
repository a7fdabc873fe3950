import { accountShards, deadlinesName } from '@tollgate/contracts/keyspace/names.ts'
import { tryAll } from '@tollgate/contracts/redis/execute.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { type Reaped, reap } from '@tollgate/contracts/redis/settle.ts'

const sweepMs = 15_000
/** Accounts of one shard in one sweep, and holds of one account in one script. */
const mostAccounts = 100
const mostHolds = 100

/** Ends overdue holds of accounts that nobody uses any more. Any number of gateways may sweep at once. */
export type Reaper = {
  start(): void
  /** Looks at all shards once. @throws RedisAwayError, or ioredis' error */
  sweep(): Promise<void>
  stop(): Promise<void>
}

export function createReaper(
  redis: RedisLink,
  onReaped: (reaped: Reaped) => void,
  onError: (error: unknown) => void
): Reaper {
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> | null = null

  async function sweep(): Promise<void> {
    const results = await tryAll(
      redis,
      accountShards,
      (shard) => shard,
      (pipeline, shard) => pipeline.tgFindOverdue(deadlinesName(shard), mostAccounts)
    )
    let failure: unknown = null
    for (const [error, accounts] of results) {
      try {
        if (error !== null) throw error
        for (const account of accounts as string[]) await reapAll(account)
      } catch (error) {
        // One process that is away is not in the way of the others.
        failure ??= error
      }
    }
    if (failure !== null) throw failure
  }

  async function reapAll(account: string): Promise<void> {
    for (;;) {
      const reaped = await reap(redis, account, mostHolds)
      onReaped(reaped)
      if (reaped.charged + reaped.released < mostHolds) return
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
