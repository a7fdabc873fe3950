import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm'
import { waitForTurn } from '../../projection/change.ts'
import type { Orm } from '../connect.ts'
import { formerSecrets, keys, shards } from '../schema.ts'
import { inSteps } from './in-steps.ts'

/** Few enough that other changes of keys wait for some tens of milliseconds. */
const keysPerStep = 200

/**
 * Deletes keys that were revoked before a time, with their former secrets. The last change of those that go is remembered by
 * shard: a Redis that comes back with an older state may have them alive, and is projected anew; see `judgeShards`.
 *
 * @returns how many were deleted
 */
export function pruneKeys(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  return inSteps(keysPerStep, isStopping, () =>
    orm.transaction(async (tx) => {
      await waitForTurn(tx)
      const dead = await tx
        .select({ id: keys.id, shard: keys.accountShard, version: keys.version })
        .from(keys)
        .where(and(eq(keys.status, 'revoked'), lt(keys.revokedAt, before)))
        .orderBy(asc(keys.revokedAt))
        .limit(keysPerStep)
      if (dead.length === 0) return 0
      const last = new Map<AccountShard, number>()
      for (const { shard, version } of dead) {
        const name = shard as AccountShard
        last.set(name, Math.max(last.get(name) ?? 0, version))
      }
      for (const [name, version] of last) {
        await tx
          .update(shards)
          .set({ purged: sql`greatest(${shards.purged}, ${version}::bigint)` })
          .where(eq(shards.name, name))
      }
      const ids = dead.map(({ id }) => id)
      await tx.delete(formerSecrets).where(inArray(formerSecrets.keyId, ids))
      await tx.delete(keys).where(inArray(keys.id, ids))
      return dead.length
    })
  )
}
