import { accountShards, deadlinesName } from '@tollgate/state/keyspace/names.ts'
import { tryAll } from '@tollgate/state/link/execute.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type Reaped, reap } from '@tollgate/state/settlement/reap.ts'

const sweepMs = 15_000
/** Accounts of one shard in one sweep, and holds of one account in one script: few enough not to keep others waiting. */
const maxAccounts = 100
const maxHolds = 100

/** Ends overdue holds: when they are in the way of an admission, and of accounts that nobody uses any more. */
export interface Reaper {
  /**
   * Ends a bounded number of holds of an account. Who asks while that is under way waits for the same.
   *
   * @throws RedisAwayError, or ioredis' error
   */
  reap(account: string): Promise<Reaped>
  start(): void
  /** Looks at all shards once. Any number of gateways may at the same time. @throws RedisAwayError, or ioredis' error */
  sweep(): Promise<void>
  stop(): Promise<void>
}

/** @param holdMs how long a hold lasts */
export function createReaper(
  redis: RedisLink,
  holdMs: number,
  onReaped: (reaped: Reaped) => void,
  onError: (error: unknown) => void
): Reaper {
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> | null = null
  const reaping = new Map<string, Promise<Reaped>>()

  function reapSome(account: string): Promise<Reaped> {
    let under = reaping.get(account)
    if (under === undefined) {
      under = reap(redis, account, maxHolds, holdMs)
        .then((reaped) => {
          onReaped(reaped)
          return reaped
        })
        .finally(() => reaping.delete(account))
      reaping.set(account, under)
    }
    return under
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
        // One process that is away is not in the way of the others.
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
