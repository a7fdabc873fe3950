import { accountName, accountShard } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'

/** An account, or one of its keys. */
export interface Spender {
  readonly account: string
  /** null: the account itself. */
  readonly key: string | null
}

/**
 * Reads what accounts and keys have spent in a month, in one round trip to each process.
 *
 * @param month yyyymm
 * @returns nanodollars in the order of the spenders; 0 if Redis has the spend of another month; null if it has none
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readSettled(
  link: RedisLink,
  spenders: readonly Spender[],
  month: number
): Promise<Array<number | null>> {
  const answers = await executeAll(
    link,
    spenders,
    ({ account }) => accountShard(account),
    (pipeline, { account, key }) => pipeline.hgetBuffer(accountName(account), key === null ? 'a' : `k:${key}`)
  )
  return (answers as Array<Buffer | null>).map((packed, index) => {
    if (packed === null) return null
    const spend = unpackParts(spenders[index]!.key === null ? layouts.account : layouts.key, packed)
    if (spend.month === 0) return null
    return spend.month === month ? spend.settled : 0
  })
}
