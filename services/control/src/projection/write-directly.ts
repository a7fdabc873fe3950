import { accountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { announceChange, type ChangeNotice } from '@tollgate/state/projection/announce-change.ts'
import { type ProjectionWrite, putAll } from '@tollgate/state/projection/write-records.ts'

/** Of one account or one of its keys. */
export type ChangeOfOne = Exclude<ChangeNotice, { kind: 'catalog' }>

/** Changes can follow each other so fast that Redis always has a later one; not for long. */
const maxAttempts = 5

/**
 * Brings the present state of one account or key to Redis, without waiting for the loop.
 *
 * @param read its state in Postgres, to be read after the change was committed
 * @returns true once Redis has acknowledged that state or a later one; false if there is nothing to bring, or if Redis
 * has a later one than Postgres, which was restored then and must be projected anew first
 * @throws RedisAwayError, and what Redis and `read` throw
 */
export async function writeDirectly(
  redis: RedisLink,
  notice: ChangeOfOne,
  read: () => Promise<ProjectionWrite[]>
): Promise<boolean> {
  // If Redis is known to be away, that is said at once.
  redis.nodeOf(accountShard(notice.account)).run()
  let tried = ''
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    // A connection that was lost since it was last used is noticed by its next statement only, and others are not lost.
    const writes = await read().catch(read)
    const versions = writes.map((write) => (write.kind === 'pointer' ? '' : write.version)).join()
    if (writes.length === 0 || versions === tried) return false
    const outcomes = await putAll(redis, writes)
    if (!outcomes.includes('later')) {
      // Only a hint, which the answer need not wait for.
      announceChange(redis, notice).catch(() => undefined)
      return true
    }
    // Committed by somebody else since it was read, or of the epoch that has begun: then reading it again shows it.
    tried = versions
  }
  return false
}
