import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readKeyPresence } from '@tollgate/state/projection/read-keys.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'

/**
 * Whether Redis has the current state of a key, so that no request is admitted on an earlier one. It only reads.
 *
 * @param writes the key's state in PostgreSQL, from `ProjectionSource.writesOfKey`
 * @returns false also if Redis has a later version: the key was changed meanwhile, or PostgreSQL was restored
 * @throws RedisAwayError, or the error of Redis
 */
export async function isKeyInForce(redis: RedisLink, writes: readonly ProjectionWrite[]): Promise<boolean> {
  const wanted = writes.find((write) => write.kind === 'key')
  if (wanted === undefined) return false
  const { account, key, record, version } = wanted
  const found = await readKeyPresence(redis, account, key, record.digest)
  // A revoked key may also be missing in Redis: then it is unknown, and refused as well.
  if (record.status === 'revoked') return found.version === null || found.version === version
  return found.version === version && found.hasPointer
}
