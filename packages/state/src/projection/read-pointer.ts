import { type Pointer, readPointer } from '@tollgate/contracts/records/records.ts'
import { pointerName, secretShard, shardMarker } from '../keyspace/names.ts'
import type { RedisLink } from '../link/redis-link.ts'

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
