import type { Redis } from 'ioredis'
import { type Shard, shardMarker, vouchedField } from '../keyspace/names.ts'
import { createUnpacker, packNumbers, packText } from '../redis/packed.ts'

/** A marker of a shard; `version` and `run` are missing if nobody has vouched for it. Other fields are as they stand there. */
export async function readMarker(client: Redis, shard: Shard): Promise<Record<string, string | number>> {
  const { [vouchedField]: vouched, ...rest } = await client.hgetallBuffer(shardMarker(shard))
  const marker = Object.fromEntries(Object.entries(rest).map(([field, value]) => [field, value.toString()]))
  if (vouched === undefined) return marker
  const { number, text } = createUnpacker(vouched)
  return { ...marker, version: number(), run: text() }
}

/** Vouches for a shard, whatever it says now. */
export async function vouch(client: Redis, shard: Shard, version: number, run: string): Promise<void> {
  await client.hset(shardMarker(shard), vouchedField, Buffer.from(packNumbers(version) + packText(run), 'latin1'))
}
