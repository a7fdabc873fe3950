import { accountName, accountShard } from '../keyspace/names.ts'
import { type RedisLink, togetherFor } from '../link/redis-link.ts'
import type { JudgedVersions } from './confirm.ts'

/** The records of a key and its account, as they were judged. */
export interface JudgedKey {
  readonly account: string
  readonly key: string
  readonly judged: JudgedVersions
}

export interface FoundKeys<Key> {
  readonly outdated: readonly Key[]
  /**
   * The first error if keys could not be checked, for example because one of several Redis processes is away; else
   * null.
   */
  readonly error: unknown
}

/**
 * Finds the keys with a judged record that Redis has in another version. That is only a hint: ask {@link
 * confirmRecords}.
 *
 * @param keys a hundred at most, so that other commands wait only briefly
 */
export async function findOutdated<Key extends JudgedKey>(
  link: RedisLink,
  keys: readonly Key[]
): Promise<FoundKeys<Key>> {
  if (keys.length === 0) return { outdated: [], error: null }
  const groups = togetherFor(link, keys, ({ account }) => accountShard(account))
  const answers = await Promise.allSettled(groups.map((together) => findAmong(link, together)))
  return {
    outdated: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
    error: answers.find((answer) => answer.status === 'rejected')?.reason ?? null
  }
}

async function findAmong<Key extends JudgedKey>(link: RedisLink, together: readonly Key[]): Promise<Key[]> {
  const { client } = link.nodeOf(accountShard(together[0]!.account))
  const numbers = await client.tgFindOutdated(
    together.length,
    ...together.map(({ account }) => accountName(account)),
    ...together.flatMap(({ key, judged }) => [key, judged.key, judged.account])
  )
  return numbers.map((number) => together[number - 1]!)
}
