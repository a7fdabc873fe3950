import type { AccountShard } from '../keyspace/names.ts'
import { bulk } from '../wire/packed.ts'
import { callForShard } from './call-script.ts'
import type { RedisLink } from './redis-link.ts'

/**
 * Finds the shards whose list has entries. Nearly always nearly all are empty, and one question for all costs less than
 * to read each. In a cluster each shard would be a question of its own, so there all count as filled.
 *
 * @param nameOf the key of a shard's list
 * @param count how the entries of such a key are counted
 * @returns in the order of the shards. If they cannot be asked, all of them: reading one tells why
 */
export async function findFilled(
  link: RedisLink,
  shards: readonly AccountShard[],
  nameOf: (shard: AccountShard) => string,
  count: 'HLEN' | 'XLEN'
): Promise<readonly AccountShard[]> {
  if (shards.length === 0 || link.isSpread) return shards
  const keys = shards.map((shard) => bulk(nameOf(shard))).join('')
  try {
    const call = { keyCount: shards.length, keys, argumentCount: 1, rest: bulk(count) }
    const numbers = (await callForShard(link, shards[0]!, 'tgFindFilled', call)) as number[]
    return numbers.map((number) => shards[number - 1]!)
  } catch {
    return shards
  }
}
