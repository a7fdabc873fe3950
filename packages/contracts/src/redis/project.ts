import {
  accountName,
  allShards,
  catalogName,
  changesChannel,
  keysName,
  pointerName,
  type Shard,
  shardMarker
} from '../keyspace/names.ts'
import type { AccountRecord, KeyRecord, Pointer } from '../records/records.ts'
import type { RedisLink } from './redis-link.ts'

/** Where a shard stands in Redis, as its marker says; nulls if it has none. */
export type ShardState = { version: number | null; run: string | null }

/** A replay under way. `at` is where the shard stood when it began. */
export type ShardClaim = { shard: Shard; token: string; at: ShardState }

/**
 * Writes a key record unless a same or later version is there.
 * @returns whether it was stored; false means that Redis has it or a later one
 */
export async function putKeyRecord(
  link: RedisLink,
  account: string,
  key: string,
  version: number,
  record: KeyRecord
): Promise<boolean> {
  const stored = await link.client.tgPutRecord(
    keysName(account),
    `v:${key}`,
    `r:${key}`,
    version,
    JSON.stringify(record)
  )
  return stored === 1
}

/** As {@link putKeyRecord}, for an account. */
export async function putAccountRecord(
  link: RedisLink,
  account: string,
  version: number,
  record: AccountRecord
): Promise<boolean> {
  return (await link.client.tgPutRecord(accountName(account), 'v', 'r', version, JSON.stringify(record))) === 1
}

/** Writes a pointer; it never changes, so writing it again is harmless. */
export async function putPointer(link: RedisLink, digest: string, pointer: Pointer): Promise<void> {
  await link.client.set(pointerName(digest), JSON.stringify(pointer))
}

/** The markers of all shards, in one round trip. */
export async function readShards(link: RedisLink): Promise<Map<Shard, ShardState>> {
  const pipeline = link.client.pipeline()
  for (const shard of allShards) pipeline.hmget(shardMarker(shard), 'version', 'run')
  const states = new Map<Shard, ShardState>()
  const answers = (await pipeline.exec()) ?? []
  for (const [index, [error, answer]] of answers.entries()) {
    if (error !== null) throw error
    const [version, run] = answer as [string | null, string | null]
    states.set(allShards[index]!, { version: version === null ? null : Number(version), run })
  }
  return states
}

/** Begins a replay into a shard. See `claim-shard.lua` for what a claim protects from. */
export async function claimShard(link: RedisLink, shard: Shard, token: string): Promise<ShardClaim> {
  const [version, run] = await link.client.tgClaimShard(shardMarker(shard), token)
  return { shard, token, at: { version: version === '' ? null : Number(version), run: run === '' ? null : run } }
}

/**
 * Ends a replay: vouches for `run` and `version`.
 * @returns false if the shard has moved on or lost its data since the claim: nothing was changed then
 */
export async function stampShard(link: RedisLink, claim: ShardClaim, version: number, run: string): Promise<boolean> {
  const { at, shard, token } = claim
  const from = at.version === null ? '' : String(at.version)
  return (await link.client.tgStampShard(shardMarker(shard), token, from, at.run ?? '', version, run)) === 1
}

/** What `catalog` in Redis holds: `run` is the process to which control has vouched for it. */
export type StoredCatalog = { version: number; run: string; json: string }

export async function putCatalog(link: RedisLink, catalog: StoredCatalog): Promise<void> {
  await link.client.hset(catalogName, { version: catalog.version, run: catalog.run, json: catalog.json })
}

/** Version and run of the stored catalog, without its text; null if there is none. */
export async function readCatalogVersion(link: RedisLink): Promise<{ version: number; run: string } | null> {
  const [version, run] = await link.client.hmget(catalogName, 'version', 'run')
  return version == null || run == null ? null : { version: Number(version), run }
}

export async function readCatalog(link: RedisLink): Promise<StoredCatalog | null> {
  const { version, run, json } = await link.client.hgetall(catalogName)
  return version === undefined || run === undefined || json === undefined
    ? null
    : { version: Number(version), run, json }
}

/** A hint that something changed, published on `changes`; nothing depends on its arrival. */
export type ChangeNotice =
  | { kind: 'catalog' }
  | { kind: 'account'; account: string }
  | { kind: 'key'; account: string; key: string }

export async function announceChange(link: RedisLink, notice: ChangeNotice): Promise<void> {
  await link.client.publish(changesChannel, JSON.stringify(notice))
}
