import type { AccountShard } from '../keyspace/names.ts'
import { bulk } from '../wire/packed.ts'
import { callForShard } from './call-script.ts'
import { type RedisLink, togetherFor } from './redis-link.ts'

/**
 * Finds the shards whose list has entries. Nearly always nearly all are empty, and one question for all costs less than
 * to read each. In a cluster each shard is asked.
 *
 * @param nameOf the key of a shard's list
 * @param count how the entries of such a key are counted
 * @returns in the order of the shards. One that cannot be asked is among them, since reading it tells why
 */
export async function findFilled(
  link: RedisLink,
  shards: readonly AccountShard[],
  nameOf: (shard: AccountShard) => string,
  count: 'HLEN' | 'XLEN'
): Promise<AccountShard[]> {
  if (shards.length === 0) return []
  const found = await Promise.all(
    togetherFor(link, shards, (shard) => shard).map(async (together) => {
      const keys = together.map((shard) => bulk(nameOf(shard))).join('')
      const rest = bulk(count) + bulk(String(together.length))
      try {
        const call = { keyCount: together.length, keys, argumentCount: 2, rest }
        const numbers = (await callForShard(link, together[0]!, 'tgFindFilled', call)) as number[]
        return numbers.map((number) => together[number - 1]!)
      } catch {
        return together
      }
    })
  )
  return found.flat()
}
