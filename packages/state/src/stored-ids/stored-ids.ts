import { hash } from 'node:crypto'
import { accountShard, olderIdsName, storedIdsName } from '../keyspace/names.ts'
import type { RedisLink, RedisNode } from '../link/redis-link.ts'

/** Who may name an id: the key that got it from the provider. Both are ids. */
export interface IdOwner {
  readonly account: string
  readonly key: string
}

/** Where a provider stores something that a key may name by its id. */
export interface StoredId {
  readonly id: string
  /** The upstream that has it. */
  readonly upstream: string
  /** The maximum tokens that it adds to a prompt. */
  readonly tokens: number
  /**
   * Ids of one answer have the same source: together, they add no more than one of them. It has no space and no `@`.
   */
  readonly source: string
  /** The name of the model that counted the tokens. */
  readonly model: string
}

/** At least this many of an account's newest ids are remembered, and at most twice as many. */
const minStoredIds = 5000
/** How long OpenAI stores a response, ms. Ids are remembered for this long after their last neighbour. */
export const storedIdMs = 30 * 24 * 3_600_000

/**
 * Remembers ids that a key may use.
 *
 * @param ids at most some thousands
 * @param min how many of the account's newest ids stay remembered
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function rememberIds(
  link: RedisLink,
  { account, key }: IdOwner,
  ids: readonly StoredId[],
  min: number = minStoredIds
): Promise<void> {
  const owner = ownerMark(key)
  const toValue = ({ upstream, tokens, source, model }: StoredId) => `${upstream} ${tokens} ${source}@${owner} ${model}`
  const values = ids.flatMap((one) => [digestOf(one.id), toValue(one)])
  await nodeOf(link, account).client.tgRememberIds(...namesOf(account), min, storedIdMs, ...values)
}

/**
 * Finds ids of a key, in one round trip.
 *
 * @returns in the order of the ids; null for an id that the key may not use
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function findIds(
  link: RedisLink,
  { account, key }: IdOwner,
  ids: readonly string[]
): Promise<Array<StoredId | null>> {
  const { client } = nodeOf(link, account)
  const digests = ids.map(digestOf)
  const [newer, older] = await Promise.all(namesOf(account).map((name) => client.hmget(name, ...digests)))
  const owner = ownerMark(key)
  return ids.map((id, index) => toStoredId(id, newer![index] ?? older![index] ?? null, owner))
}

/** Forgets an id. @throws RedisAwayError, or ioredis' error if no answer comes in time */
export async function forgetId(link: RedisLink, account: string, id: string): Promise<void> {
  const { client } = nodeOf(link, account)
  await Promise.all(namesOf(account).map((name) => client.hdel(name, digestOf(id))))
}

const namesOf = (account: string) => [storedIdsName(account), olderIdsName(account)] as const

/** Ids are long. No two have the same 96 bits, not even those of an attacker. */
const digestOf = (id: string): string => hash('sha256', id, 'base64url').slice(0, 16)

/** Control makes the ids of keys, so nobody can look for two with the same 66 bits. */
const ownerMark = (key: string): string => hash('sha256', key, 'base64url').slice(0, 11)

/** @throws RedisAwayError */
function nodeOf(link: RedisLink, account: string): RedisNode {
  const node = link.nodeOf(accountShard(account))
  node.run()
  return node
}

/** Release 0.3.0 wrote no owner: what it remembered belongs to all keys of the account until it is forgotten. */
function toStoredId(id: string, value: string | null, owner: string): StoredId | null {
  const [, upstream, tokens, source, itsOwner, model] =
    /^(\S+) (\d+) ([^\s@]+)(?:@(\S+))? (.+)$/.exec(value ?? '') ?? []
  if (upstream === undefined || (itsOwner !== undefined && itsOwner !== owner)) return null
  return { id, upstream, tokens: Number(tokens), source: source!, model: model! }
}
