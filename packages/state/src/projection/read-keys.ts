import { type KeyRecord, type Pointer, readKeyRecord, readPointer } from '@tollgate/contracts/records/records.ts'
import {
  type AccountShard,
  accountName,
  accountShard,
  pointerName,
  secretShard,
  shardMarker
} from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'

/** What Redis has of a key. */
export interface ProjectedKey {
  /** Null without a record. */
  readonly record: { readonly version: number; readonly content: KeyRecord } | null
  /** Whether Redis has the record of the key's account. */
  readonly hasAccount: boolean
}

/** Which changes of a shard Redis has had. */
export interface ShardHistory {
  /** The version up to which Redis has every change; null if the shard is not verified for any process. */
  readonly verified: number | null
  /**
   * The epoch in which this data was first verified; null if it is not known. Redis has lost nothing of the shard
   * since.
   */
  readonly since: number | null
}

/** Keys of a shard, with its history; all of the same moment. */
export interface ProjectedKeys extends ShardHistory {
  readonly keys: readonly ProjectedKey[]
}

/**
 * Reads what Redis has of some keys of one shard, in one call of a script: pass a hundred at most.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time; an error for a record that this release cannot
 * read
 */
export async function readKeys(
  link: RedisLink,
  shard: AccountShard,
  keys: ReadonlyArray<{ account: string; key: string }>
): Promise<ProjectedKeys> {
  const hashes = keys.map(({ account }) => accountName(account))
  const ids = keys.map(({ key }) => key)
  const { client } = link.nodeOf(shard)
  const [verified, since, ...parts] = await client.tgReadKeys(hashes.length + 1, shardMarker(shard), ...hashes, ...ids)
  return {
    verified: verified === '' ? null : Number(verified),
    since: since === '' ? null : Number(since),
    keys: keys.map((_key, index) => {
      const [version, json, hasAccount] = parts.slice(3 * index) as [string, string, 0 | 1]
      const record = version === '0' ? null : { version: Number(version), content: readKeyRecord(json) }
      return { record, hasAccount: hasAccount === 1 }
    })
  }
}

/**
 * Looks up the key that a digest belongs to.
 *
 * @returns the pointer; 'unknown' if no such key exists; 'unverified' if control has not verified the shard yet
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function findPointer(link: RedisLink, digest: string): Promise<Pointer | 'unknown' | 'unverified'> {
  const shard = secretShard(digest)
  const node = link.nodeOf(shard)
  const answer = await node.client.tgReadPointer(pointerName(digest), shardMarker(shard), node.run())
  if (answer === 0) return 'unknown'
  if (answer === -1) return 'unverified'
  return readPointer(answer)
}

/** What Redis knows about a key. */
export interface KeyPresence {
  /** Version of its record; null without a record. */
  readonly version: number | null
  /** Whether Redis has the pointer from its secret. */
  readonly hasPointer: boolean
}

/**
 * Reads what Redis knows about a key.
 *
 * @param digest of the key's current secret
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readKeyPresence(
  link: RedisLink,
  account: string,
  key: string,
  digest: string
): Promise<KeyPresence> {
  const [packed, pointers] = await executeAll(
    link,
    [accountShard(account), secretShard(digest)],
    (shard) => shard,
    (pipeline, shard) =>
      shard.startsWith('a')
        ? pipeline.hgetBuffer(accountName(account), `k:${key}`)
        : pipeline.exists(pointerName(digest))
  )
  const version = packed === null ? 0 : unpackParts(layouts.key, packed as Buffer).version
  return { version: version === 0 ? null : version, hasPointer: pointers === 1 }
}
