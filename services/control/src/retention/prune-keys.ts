import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { shards } from '../database/schema/projection.ts'
import { lockChanges } from '../projection/record-change.ts'

/** Keys per transaction. Other changes wait for it, some tens of milliseconds. */
const keysPerStep = 200

/**
 * Deletes keys that were revoked before a time, with their former secrets. Each shard stores the last change of its deleted
 * keys: an older state of Redis may still have them as live keys, and is then rewritten; see `compareShards`.
 *
 * @returns the number of deleted keys
 */
export function pruneKeys(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  return inSteps(keysPerStep, isStopping, () =>
    orm.transaction(async (tx) => {
      await lockChanges(tx)
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
