import { accountShards, deadlinesName } from '../keyspace/names.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { readSpends } from './spend.ts'

/** What is reserved for an account's running requests, nanodollars. */
export interface Reserved {
  readonly account: string
  readonly nanos: number
}

/**
 * Reads what is reserved for running requests, in two round trips to each process.
 *
 * @param month the current month, yyyymm
 * @returns every account with an amount above 0
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readReserved(link: RedisLink, month: number): Promise<Reserved[]> {
  const found = await executeAll(
    link,
    accountShards,
    (shard) => shard,
    (pipeline, shard) => pipeline.zrange(deadlinesName(shard), '0', '-1')
  )
  const accounts = (found as string[][]).flat()
  const spends = await readSpends(link, accounts, month)
  return accounts
    .map((account, index) => ({ account, nanos: spends[index]?.reserved ?? 0 }))
    .filter(({ nanos }) => nanos > 0)
}
