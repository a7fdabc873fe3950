import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readKeyPresence } from '@tollgate/state/projection/key-presence.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'

/**
 * Whether Redis has the present state of a key, so that nothing is admitted on an earlier one. It reads only: callers
 * may ask as often as they like.
 *
 * @param writes the key's state in Postgres, as `ProjectionSource.writesOfKey` has it
 * @returns false also if Redis has a later version: then somebody changed the key meanwhile, or Postgres was restored
 * @throws RedisAwayError, and what Redis throws
 */
export async function isKeyInForce(redis: RedisLink, writes: readonly ProjectionWrite[]): Promise<boolean> {
  const wanted = writes.find((write) => write.kind === 'key')
  if (wanted === undefined) return false
  const { account, key, record, version } = wanted
  const found = await readKeyPresence(redis, account, key, record.digest)
  // A revoked key needs neither: without them it is unknown, and Redis need not learn of one that died long ago.
  if (record.status === 'revoked') return found.version === null || found.version === version
  return found.version === version && found.hasPointer
}
