import { accountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { announceChange, type ChangeNotice } from '@tollgate/state/projection/changes.ts'
import { type ProjectionWrite, putAll } from '@tollgate/state/projection/write-records.ts'

/** A change of one account or one key. */
export type ChangeOfOne = Exclude<ChangeNotice, { kind: 'catalog' | 'free-offer' }>

/** Maximum attempts, since other changes can always be faster. Afterwards the loop takes over. */
const maxAttempts = 5

/**
 * Writes the current state of one account or key to Redis, without waiting for the loop.
 *
 * @param read reads the state in PostgreSQL, after the commit of the change
 * @returns true once Redis has acknowledged that state or a later one; false if there is nothing to write, or if Redis
 *   has a later one than PostgreSQL: then PostgreSQL was restored, and the loop must write everything again first
 * @throws RedisAwayError, or the error of Redis or `read`
 */
export async function writeDirectly(
  redis: RedisLink,
  notice: ChangeOfOne,
  read: () => Promise<ProjectionWrite[]>
): Promise<boolean> {
  // Throws at once if Redis is known to be unavailable.
  redis.nodeOf(accountShard(notice.account)).run()
  let tried = ''
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    // Only the next statement notices a lost connection to PostgreSQL; the pool then uses another one.
    const writes = await read().catch(read)
    const versions = writes.map((write) => (write.kind === 'pointer' ? '' : write.version)).join()
    if (writes.length === 0 || versions === tried) return false
    const outcomes = await putAll(redis, writes)
    if (!outcomes.includes('later')) {
      // Only a hint to gateways: the caller does not wait for it.
      announceChange(redis, notice).catch(() => undefined)
      return true
    }
    // The later version was committed after the read, or is of a new epoch: the next read sees it.
    tried = versions
  }
  return false
}
