import { accountShard, storedIdsName, storedOrderName } from '../keyspace/names.ts'
import type { RedisLink, RedisNode } from '../link/redis-link.ts'

/** Where a provider stores something that an account may name by its id. */
export interface StoredId {
  readonly id: string
  /** The upstream that has it. */
  readonly upstream: string
  /** The maximum tokens that it adds to a prompt. */
  readonly tokens: number
  /** Ids of one answer have the same source: together, they add no more than one of them. It has no spaces. */
  readonly source: string
}

/** Ids of an account that are remembered. The oldest ones are forgotten first. */
const maxStoredIds = 10_000
/** How long OpenAI stores a response, ms. */
export const storedIdMs = 30 * 24 * 3_600_000

/**
 * Remembers ids that an account may use.
 *
 * @param ids without spaces, at most some thousands
 * @param max how many ids stay remembered
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function rememberIds(
  link: RedisLink,
  account: string,
  ids: readonly StoredId[],
  max: number = maxStoredIds
): Promise<void> {
  const values = ids.flatMap(({ id, upstream, tokens, source }) => [id, `${upstream} ${tokens} ${source}`])
  const names = [storedIdsName(account), storedOrderName(account)] as const
  await nodeOf(link, account).client.tgRememberIds(...names, max, storedIdMs, ...values)
}

/**
 * Finds ids of an account, in one round trip.
 *
 * @returns in the order of the ids; null for an id that the account may not use
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function findIds(
  link: RedisLink,
  account: string,
  ids: readonly string[]
): Promise<Array<StoredId | null>> {
  const values = await nodeOf(link, account).client.hmget(storedIdsName(account), ...ids)
  return ids.map((id, index) => toStoredId(id, values[index] ?? null))
}

/** Forgets an id. @throws RedisAwayError, or ioredis' error if no answer comes in time */
export async function forgetId(link: RedisLink, account: string, id: string): Promise<void> {
  const { client } = nodeOf(link, account)
  await Promise.all([client.hdel(storedIdsName(account), id), client.zrem(storedOrderName(account), id)])
}

/** @throws RedisAwayError */
function nodeOf(link: RedisLink, account: string): RedisNode {
  const node = link.nodeOf(accountShard(account))
  node.run()
  return node
}

function toStoredId(id: string, value: string | null): StoredId | null {
  const [, upstream, tokens, source] = /^(\S+) (\d+) (\S+)$/.exec(value ?? '') ?? []
  return upstream === undefined ? null : { id, upstream, tokens: Number(tokens), source: source! }
}
