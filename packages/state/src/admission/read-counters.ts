import { accountName, accountShard, shardMarker } from '../keyspace/names.ts'
import { layouts, type Packed } from '../layout/layouts.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'

/** What an account and one of its keys have used: see layout/account.lua. Amounts are those of the account's month. */
export interface Counters {
  /** By the clock of Redis, µs since the epoch. */
  readonly now: number
  readonly account: Readonly<Packed<typeof layouts.account>>
  readonly key: Readonly<Packed<typeof layouts.key>>
  /** The budgets with a window that were asked for, in their order. */
  readonly budgets: ReadonlyArray<Readonly<Packed<typeof layouts.budget>>>
}

/**
 * Reads the numbers by which admission decides, in one round trip. It changes nothing.
 *
 * @param fields of budgets with a window, from `budgetField`
 * @returns null if admission would decide nothing: the shard is not verified, or the spend is not seeded
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readCounters(
  link: RedisLink,
  account: string,
  key: string,
  fields: readonly string[] = []
): Promise<Counters | null> {
  const shard = accountShard(account)
  const node = link.nodeOf(shard)
  const answer = await node.client.tgReadCountersBuffer(
    shardMarker(shard),
    accountName(account),
    node.run(),
    key,
    ...fields
  )
  if (!Array.isArray(answer)) return null
  const [now, ofAccount, ofKey, ...ofBudgets] = answer
  return {
    now: Number(now),
    account: unpackParts(layouts.account, ofAccount!),
    key: unpackParts(layouts.key, ofKey!),
    budgets: ofBudgets.map((packed) => unpackParts(layouts.budget, packed))
  }
}
