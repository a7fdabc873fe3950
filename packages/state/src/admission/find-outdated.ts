import { accountName, accountShard } from '../keyspace/names.ts'
import { type RedisLink, togetherFor } from '../link/redis-link.ts'
import type { JudgedVersions } from './confirm.ts'

/** The records of a key and its account, as they were judged. */
export interface JudgedKey {
  readonly account: string
  readonly key: string
  readonly judged: JudgedVersions
}

/**
 * Finds the keys with a judged record that Redis has in another version. That is only a hint: ask {@link confirmRecords}.
 *
 * @param keys a hundred at most, so that other commands wait only briefly
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function findOutdated<Key extends JudgedKey>(link: RedisLink, keys: readonly Key[]): Promise<Key[]> {
  if (keys.length === 0) return []
  const found = togetherFor(link, keys, ({ account }) => accountShard(account)).map(async (together) => {
    const { client } = link.nodeOf(accountShard(together[0]!.account))
    const numbers = await client.tgFindOutdated(
      together.length,
      ...together.map(({ account }) => accountName(account)),
      ...together.flatMap(({ key, judged }) => [key, judged.key, judged.account])
    )
    return numbers.map((number) => together[number - 1]!)
  })
  return (await Promise.all(found)).flat()
}
