import { changeOf, epochOf, versionOf } from '@tollgate/contracts/records/version.ts'
import type { Shard } from '@tollgate/state/keyspace/names.ts'
import type { FoundMarker } from '@tollgate/state/projection/shard-markers.ts'
import type { Truth } from './source.ts'

/** A shard that is not verified for the Redis process that holds it now, up to PostgreSQL's last change. */
export interface StaleShard {
  shard: Shard
  /** The marker that was compared. */
  marker: FoundMarker
}

export type ShardComparison =
  /**
   * Redis has changes of this epoch that PostgreSQL does not know: PostgreSQL was restored to an earlier state. Or
   * Redis returned with a state so old that PostgreSQL has deleted keys that were revoked since.
   */
  | {
      ahead: true
      epoch: number
      /** In these, Redis has changes that PostgreSQL does not know. */
      shards: Shard[]
    }
  | { ahead: false; stale: StaleShard[] }

/**
 * Compares the markers of Redis with PostgreSQL. The markers must be read first. Then a version that PostgreSQL lacks
 * proves that it was restored, because only committed changes are written to Redis.
 *
 * A restored PostgreSQL goes unnoticed only if every shard has had more new changes than it lost; there is a pass each
 * second, and the first starts with the process.
 */
export function compareShards(markers: ReadonlyMap<Shard, FoundMarker>, truth: Truth): ShardComparison {
  let highest = 0
  const later: Shard[] = []
  let isOlder = false
  const stale: StaleShard[] = []
  for (const [shard, marker] of markers) {
    const version = versionOf(truth.epoch, truth.changes.get(shard) ?? 0)
    const seen = Math.max(marker.version ?? 0, marker.highest ?? 0)
    if (seen > version) later.push(shard)
    if (isOlderThanPurged(marker, truth.epoch, truth.purged.get(shard) ?? 0)) {
      isOlder = true
      highest = Math.max(highest, version)
    }
    highest = Math.max(highest, seen)
    if (marker.run !== marker.currentRunId || marker.version === null || marker.version < version) {
      stale.push({ shard, marker })
    }
  }
  const ahead = isOlder || later.length > 0
  return ahead ? { ahead, epoch: epochOf(highest), shards: later } : { ahead, stale }
}

/**
 * Whether a shard may have live records of keys that were revoked and deleted since: a replay would not remove them.
 */
function isOlderThanPurged({ version, highest }: FoundMarker, epoch: number, purged: number): boolean {
  const ofEpoch = [version, highest].find((seen) => seen !== null && epochOf(seen) === epoch)
  return ofEpoch != null && changeOf(ofEpoch) < purged
}
