import type { Redis } from 'ioredis'
import { monthNumber } from '../keyspace/month.ts'
import { allShards, type Shard, shardMarker, verifiedField } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { claimShard, markVerified } from '../projection/shard-markers.ts'
import { packParts, unpackParts } from '../wire/packed.ts'

/** Reads the marker of a shard. `version`, `month` and `run` are missing if the shard is not verified. */
export async function readMarker(client: Redis, shard: Shard): Promise<Record<string, string | number>> {
  const { [verifiedField]: verified, ...rest } = await client.hgetallBuffer(shardMarker(shard))
  const marker = Object.fromEntries(Object.entries(rest).map(([field, value]) => [field, value.toString()]))
  if (verified === undefined) return marker
  const { version, month, run } = unpackParts(layouts.marker, verified)
  return { ...marker, version, month, run }
}

/** Marks a shard as verified without a claim, and opens the current month. */
export async function setVerified(client: Redis, shard: Shard, version: number, run: string): Promise<void> {
  const packed = packParts(layouts.marker, { version, month: monthNumber(new Date()), run, lost: '' })
  await client.hset(shardMarker(shard), verifiedField, Buffer.from(packed, 'latin1'))
}

/** Marks all shards as verified without claims, and opens the current month. Not for a cluster. */
export async function verifyAll(client: Redis, version: number, run: string): Promise<void> {
  const packed = packParts(layouts.marker, { version, month: monthNumber(new Date()), run, lost: '' })
  const names = allShards.map(shardMarker)
  await client.eval(markAll, names.length, ...names, verifiedField, Buffer.from(packed, 'latin1'))
}

const markAll = "for _, name in ipairs(KEYS) do redis.call('HSET', name, ARGV[1], ARGV[2]) end"

/** Claims a shard, marks it as verified and opens the current month. @returns whether it was marked */
export async function verifyNow(link: RedisLink, shard: Shard, version: number, run: string): Promise<boolean> {
  const claim = await claimShard(link, shard, 'test')
  return markVerified(link, claim, { version, run, month: monthNumber(new Date()), lostRuns: [] })
}
