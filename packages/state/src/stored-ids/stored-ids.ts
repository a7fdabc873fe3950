import { hash } from 'node:crypto'
import { accountShard, olderIdsName, storedIdsName } from '../keyspace/names.ts'
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
  /** The name of the model that counted the tokens. */
  readonly model: string
}

/** At least this many of an account's newest ids are remembered, and at most twice as many. */
const minStoredIds = 5000
/** How long OpenAI stores a response, ms. Ids are remembered for this long after their last neighbour. */
export const storedIdMs = 30 * 24 * 3_600_000

/**
 * Remembers ids that an account may use.
 *
 * @param ids at most some thousands
 * @param min how many of the newest ids stay remembered
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function rememberIds(
  link: RedisLink,
  account: string,
  ids: readonly StoredId[],
  min: number = minStoredIds
): Promise<void> {
  const values = ids.flatMap((one) => [digestOf(one.id), `${one.upstream} ${one.tokens} ${one.source} ${one.model}`])
  await nodeOf(link, account).client.tgRememberIds(...namesOf(account), min, storedIdMs, ...values)
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
  const { client } = nodeOf(link, account)
  const digests = ids.map(digestOf)
  const [newer, older] = await Promise.all(namesOf(account).map((name) => client.hmget(name, ...digests)))
  return ids.map((id, index) => toStoredId(id, newer![index] ?? older![index] ?? null))
}

/** Forgets an id. @throws RedisAwayError, or ioredis' error if no answer comes in time */
export async function forgetId(link: RedisLink, account: string, id: string): Promise<void> {
  const { client } = nodeOf(link, account)
  await Promise.all(namesOf(account).map((name) => client.hdel(name, digestOf(id))))
}

const namesOf = (account: string) => [storedIdsName(account), olderIdsName(account)] as const

/** Ids are long. No two have the same 96 bits, not even those of an attacker. */
const digestOf = (id: string): string => hash('sha256', id, 'base64url').slice(0, 16)

/** @throws RedisAwayError */
function nodeOf(link: RedisLink, account: string): RedisNode {
  const node = link.nodeOf(accountShard(account))
  node.run()
  return node
}

function toStoredId(id: string, value: string | null): StoredId | null {
  const [, upstream, tokens, source, model] = /^(\S+) (\d+) (\S+) (.+)$/.exec(value ?? '') ?? []
  return upstream === undefined ? null : { id, upstream, tokens: Number(tokens), source: source!, model: model! }
}
