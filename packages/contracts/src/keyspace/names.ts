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

/** @param account account id */
export function accountShard(account: string): AccountShard {
  return `a${hash('sha256', account, 'hex').slice(0, 2)}`
}

/** @param digest SHA-256 of the secret, hex */
export function secretShard(digest: string): SecretShard {
  return `k${digest.slice(0, 2)}`
}

export const shardMarker = (shard: Shard): string => `shard:{${shard}}`
export const pointerName = (digest: string): string => `key:{${secretShard(digest)}}:${digest}`
export const keysName = (account: string): string => `keys:{${accountShard(account)}}:${account}`
export const accountName = (account: string): string => `acct:{${accountShard(account)}}:${account}`
/** @param what see redis/count-attempt.ts */
export const attemptsName = (what: string): string => `attempts:${what}`
/** When keys were last used, on its way to Postgres: see redis/last-uses.ts */
export const lastUsesName = 'last-uses'
export const catalogName = 'catalog'
export const changesChannel = 'changes'
