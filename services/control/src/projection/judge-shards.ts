import { changeOf, epochOf, versionOf } from '@tollgate/contracts/records/version.ts'
import type { Shard } from '@tollgate/state/keyspace/names.ts'
import type { FoundMarker } from '@tollgate/state/projection/shard-markers.ts'
import type { Truth } from './source.ts'

/** A shard whose marker does not vouch for all that Postgres has, to the process that holds it now. */
export type StaleShard = {
  shard: Shard
  /** As it was when judged. */
  marker: FoundMarker
}

export type Judgement =
  /**
   * Redis holds changes of this epoch that Postgres does not know: Postgres was restored to an earlier state. Or Redis came
   * back with a state so old that Postgres has deleted keys that were revoked since.
   */
  { ahead: true; epoch: number } | { ahead: false; stale: StaleShard[] }

/**
 * Compares what Redis says of its shards with Postgres. The markers must have been read first: then a version in them
 * that Postgres does not have is proof, since only committed changes are ever written to Redis.
 *
 * A restored Postgres is noticed as long as one shard's lost changes have not been outnumbered by new ones; there is a
 * pass each second, and the first begins with the process.
 */
export function judgeShards(markers: ReadonlyMap<Shard, FoundMarker>, truth: Truth): Judgement {
  let highest = 0
  let ahead = false
  const stale: StaleShard[] = []
  for (const [shard, marker] of markers) {
    const version = versionOf(truth.epoch, truth.changes.get(shard) ?? 0)
    const seen = Math.max(marker.version ?? 0, marker.highest ?? 0)
    if (seen > version) ahead = true
    if (isOlderThanPurged(marker, truth.epoch, truth.purged.get(shard) ?? 0)) {
      ahead = true
      highest = Math.max(highest, version)
    }
    highest = Math.max(highest, seen)
    if (marker.run !== marker.holder || marker.version === null || marker.version < version) {
      stale.push({ shard, marker })
    }
  }
  return ahead ? { ahead, epoch: epochOf(highest) } : { ahead, stale }
}

/** Whether a shard may hold live records of keys that were revoked and deleted since, of which a replay would not tell. */
function isOlderThanPurged({ version, highest }: FoundMarker, epoch: number, purged: number): boolean {
  const ofEpoch = [version, highest].find((seen) => seen !== null && epochOf(seen) === epoch)
  return ofEpoch != null && changeOf(ofEpoch) < purged
}
