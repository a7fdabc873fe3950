import { epochOf } from '@tollgate/contracts/records/version.ts'
import { accountShards, allShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { and, gt, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { billingSweeps, invoiceSweeps } from '../database/schema/billing.ts'
import { projection } from '../database/schema/projection.ts'
import { passwordResets, sessions, sweeps } from '../database/schema/users.ts'
import { compareShards } from './compare-shards.ts'
import { type KeptEndings, keepEndings } from './keep-endings.ts'
import { createPostgresSource } from './postgres-source.ts'

/**
 * How Redis compares with a restored database. `later`: Redis has changes that the database lacks. `empty`: control has
 * verified nothing in this Redis. `not later`: it has no changes beyond the database.
 */
export type RedisComparison = 'later' | 'not later' | 'empty'

/**
 * Recovers what Redis knows and a restored database lacks, before control starts: revoked and rotated keys. Control
 * would do the same, but new changes could come before its first comparison, and hide that the database was restored.
 *
 * It may run again until control starts, also with another Redis, or after it failed: each run begins at the state of
 * the backup. All shards are read, because a run that failed may have made more changes in a shard than the database
 * had lost.
 *
 * @throws the error of Redis or PostgreSQL; the call can be repeated
 */
export async function recoverFromRedis(
  orm: Orm,
  redis: RedisLink
): Promise<{ redis: RedisComparison; kept: KeptEndings; isRepeated: boolean }> {
  const { markers, failures } = await readShards(redis)
  if (failures.length > 0) throw failures[0]
  const source = createPostgresSource(orm)
  const seen = [...markers.values()].flatMap(({ version, highest }) => [version ?? 0, highest ?? 0])
  const repeated = await returnToBackup(orm, epochOf(Math.max(0, ...seen)))
  const isRepeated = repeated !== null
  const truth = await source.readTruth()
  const comparison = compareShards(markers, truth)
  if (!comparison.ahead || comparison.shards.length === 0) {
    const isVerified = allShards.some((shard) => markers.get(shard)?.version != null)
    // Requests change no shard. In a new epoch, control copies the usage since the backup from Redis. And what it now
    // writes to an empty Redis does not pass for a later state of a backup that is restored instead of this one.
    await source.raiseEpoch(truth.epoch, repeated ?? truth.epoch)
    return { redis: isVerified ? 'not later' : 'empty', kept: { revoked: [], rotated: [] }, isRepeated }
  }
  const endings = await keepEndings(source, redis, accountShards, truth.epoch, new AbortController().signal)
  await source.raiseEpoch(truth.epoch, Math.max(repeated ?? 0, comparison.epoch))
  return { redis: 'later', kept: endings, isRepeated }
}

/**
 * Undoes the raise of the epoch by an earlier run of `tollgate restored`, so that the database can be compared with
 * Redis again as it was in the backup.
 *
 * The epoch of the backup is the one in which control last copied all usage. Control writes to Redis before it copies
 * usage. So if control has copied nothing in an epoch, and Redis has nothing of it either, an earlier run has set that
 * epoch.
 *
 * @param epochInRedis the highest epoch of anything in Redis; 0 without anything
 * @returns the epoch that the earlier run had set; null without one
 */
async function returnToBackup(orm: Orm, epochInRedis: number): Promise<number | null> {
  return orm.transaction(async (tx) => {
    const isOfEarlierRun = and(lt(projection.ledgerEpoch, projection.epoch), gt(projection.epoch, epochInRedis))
    const [row] = await tx.select({ epoch: projection.epoch }).from(projection).where(isOfEarlierRun).for('update')
    if (row === undefined) return null
    await tx.update(projection).set({ epoch: projection.ledgerEpoch })
    return row.epoch
  })
}

/** What {@link prepareRestored} changed. */
export interface Prepared {
  readonly endedSessions: number
}

/**
 * Prepares a database that was restored from a backup, before control starts.
 *
 * - Ends all sessions, and drops mailed resets: some of them have ended since the backup, perhaps because they were
 *   stolen.
 * - Makes the comparisons with the identity provider and the payment provider due: they bring back users and plans.
 */
export async function prepareRestored(orm: Orm): Promise<Prepared> {
  return orm.transaction(async (tx) => {
    const ended = await tx.delete(sessions).returning({ id: sessions.id })
    await tx.delete(passwordResets)
    for (const table of [sweeps, billingSweeps, invoiceSweeps]) await tx.delete(table)
    return { endedSessions: ended.length }
  })
}
