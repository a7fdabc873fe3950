import { hash } from 'node:crypto'

/**
 * Names of everything in Redis. A shard is two hex digits; in a Redis Cluster its hash tag keeps all mutable state of an
 * account in one slot, so that one script can judge and change it at once.
 */
export type AccountShard = `a${string}`
export type SecretShard = `k${string}`
export type Shard = AccountShard | SecretShard

const pairs = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'))
export const accountShards: readonly AccountShard[] = pairs.map((pair): AccountShard => `a${pair}`)
export const secretShards: readonly SecretShard[] = pairs.map((pair): SecretShard => `k${pair}`)
export const allShards: readonly Shard[] = [...accountShards, ...secretShards]

/** Names of one account are made one after the other, and each hash costs as much as all the rest of them. */
let last: { account: string; shard: AccountShard } | null = null

/** @param account account id */
export function accountShard(account: string): AccountShard {
  if (last?.account !== account) last = { account, shard: `a${hash('sha256', account, 'hex').slice(0, 2)}` }
  return last.shard
}

/** @param digest SHA-256 of the secret, hex */
export function secretShard(digest: string): SecretShard {
  return `k${digest.slice(0, 2)}`
}

export const shardMarker = (shard: Shard): string => `shard:{${shard}}`
/**
 * The field of a marker that says which process holds which changes, as in layout/marker.lua. Its number is raised when
 * scripts keep what they have in another form: then control brings everything anew. As a marker that is stamped has no other
 * such field, that is so in both directions.
 */
export const vouchedField = 'vouched:4'
export const pointerName = (digest: string): string => `key:{${secretShard(digest)}}:${digest}`
/** Records of an account and its keys, spend, limiters, open holds and usage: see layout/account.lua */
export const accountName = (account: string): string => `acct:{${accountShard(account)}}:${account}`
/**
 * Under which there is never anything. A node of a cluster refuses a script that names it while the shard's slot is on its
 * way to another node: otherwise the script would fail at the first name that has gone already, perhaps half done.
 */
export const guardName = (shard: Shard): string => `guard:{${shard}}`
/** Accounts by a deadline before which none of their holds ends */
export const deadlinesName = (shard: AccountShard): string => `deadlines:{${shard}}`
/** What a request leaves whose hold ended before it did; the request's id follows. */
export const gonePrefix = (account: string): string => `gone:{${accountShard(account)}}:`
/** Rows of usage that changed since they were last copied: see layout/usage.lua */
export const uncopiedName = (shard: AccountShard): string => `uncopied:{${shard}}`
/** Rows of usage by the hour in which they are final */
export const usageIndexName = (shard: AccountShard): string => `rows:{${shard}}`
/** Tombstones of keys and accounts, by when they came: see projection/put-records.lua */
export const tombstonesName = (shard: AccountShard): string => `tombstones:{${shard}}`
/** @param what see rate-limit/count-attempt.ts */
export const attemptsName = (what: string): string => `attempts:${what}`
/** When keys were last used, on its way to Postgres: see last-uses/last-uses.ts */
export const lastUsesName = 'last-uses'
export const catalogName = 'catalog'
export const changesChannel = 'changes'
