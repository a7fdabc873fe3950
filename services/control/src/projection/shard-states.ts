import { versionOf } from '@tollgate/contracts/records/version.ts'
import { allShards, type Shard } from '@tollgate/state/keyspace/names.ts'
import type { FoundMarker } from '@tollgate/state/projection/shard-markers.ts'
import type { Truth } from './source.ts'

/**
 * `behind`: Redis lacks changes of the shard. `unverified`: the Redis process does not have the shard's state, and gateways
 * refuse its requests. `unreachable`: the process could not be read.
 */
export type ShardState = 'current' | 'behind' | 'unverified' | 'unreachable'

/** The state of every shard: what Redis has, compared with PostgreSQL. */
export function shardStates(markers: ReadonlyMap<Shard, FoundMarker>, truth: Truth): Map<Shard, ShardState> {
  return new Map(allShards.map((shard) => [shard, stateOf(markers.get(shard), versionIn(truth, shard))]))
}

/** The version of a shard's last change in PostgreSQL. */
export const versionIn = ({ epoch, changes }: Truth, shard: Shard): number => versionOf(epoch, changes.get(shard) ?? 0)

function stateOf(marker: FoundMarker | undefined, version: number): ShardState {
  if (marker === undefined) return 'unreachable'
  if (marker.version === null || marker.run !== marker.currentRunId) return 'unverified'
  return marker.version < version ? 'behind' : 'current'
}
