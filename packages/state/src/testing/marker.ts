import type { Redis } from 'ioredis'
import { monthNumber } from '../keyspace/month.ts'
import { type Shard, shardMarker, vouchedField } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { claimShard, stampShard } from '../projection/shard-markers.ts'
import { packParts, unpackParts } from '../wire/packed.ts'

/** A marker of a shard; `version`, `month` and `run` are missing if it was not verified. Other fields are as they stand there. */
export async function readMarker(client: Redis, shard: Shard): Promise<Record<string, string | number>> {
  const { [vouchedField]: vouched, ...rest } = await client.hgetallBuffer(shardMarker(shard))
  const marker = Object.fromEntries(Object.entries(rest).map(([field, value]) => [field, value.toString()]))
  if (vouched === undefined) return marker
  const { version, month, run } = unpackParts(layouts.marker, vouched)
  return { ...marker, version, month, run }
}

/** Says that a shard is verified, whatever its marker says now. The present month is open. */
export async function vouch(client: Redis, shard: Shard, version: number, run: string): Promise<void> {
  const packed = packParts(layouts.marker, { version, month: monthNumber(new Date()), run, lost: '' })
  await client.hset(shardMarker(shard), vouchedField, Buffer.from(packed, 'latin1'))
}

/** Verifies a shard as control does, with the present month open. @returns whether it was done */
export async function stampNow(link: RedisLink, shard: Shard, version: number, run: string): Promise<boolean> {
  const claim = await claimShard(link, shard, 'test')
  return stampShard(link, claim, { version, run, month: monthNumber(new Date()), lostRuns: [] })
}
