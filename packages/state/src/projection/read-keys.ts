import { type KeyRecord, readKeyRecord } from '@tollgate/contracts/records/records.ts'
import { type AccountShard, accountName, shardMarker } from '../keyspace/names.ts'
import type { RedisLink } from '../link/redis-link.ts'

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
  /** The epoch in which this data was first verified; null if it is not known. Redis has lost nothing of the shard since. */
  readonly since: number | null
}

/** Keys of a shard, with its history; all of the same moment. */
export interface ProjectedKeys extends ShardHistory {
  readonly keys: readonly ProjectedKey[]
}

/**
 * Reads what Redis has of some keys of one shard, in one call of a script: pass a hundred at most.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time; an error for a record that this release cannot read
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
