import { versionOf } from '@tollgate/contracts/records/version.ts'
import { allShards, catalogName, type Shard } from '@tollgate/state/keyspace/names.ts'
import type { FoundMarker } from '@tollgate/state/projection/shard-markers.ts'
import { type CatalogMarker, catalogVersion } from './project-catalog.ts'
import type { Truth } from './source.ts'

/** What Redis has. A shard that could not be read is missing. */
export interface FoundInRedis {
  readonly markers: ReadonlyMap<Shard, FoundMarker>
  /** Undefined if it could not be read. */
  readonly catalog: CatalogMarker | undefined
}

/** What Redis lacks. */
export interface Lag {
  /** Since Redis is known to lack its oldest missing change; 0 if nothing is missing. */
  readonly ms: number
  /** How many shards have changes that Redis lacks. The catalog counts as one. */
  readonly waiting: number
}

/** Versions in PostgreSQL that Redis lacks, with the time when each was first seen. */
type Seen = Array<{ version: number; readonly at: number }>

/** More are kept as one, with the time of the first. */
const maxSeen = 100

/**
 * Measures how long Redis lacks a change. PostgreSQL does not store times of changes, so a change counts from when it
 * was first seen: `ms` is too low by up to the time between two calls of `compare`.
 */
export class ProjectionLag {
  readonly #seen = new Map<string, Seen>()
  /** The last version that each shard in Redis had. It counts while the shard cannot be read. */
  readonly #lastVersions = new Map<string, number>()

  /** @param redis null if nothing could be read; nowMs of a monotonic clock */
  compare(redis: FoundInRedis | null, truth: Truth, nowMs: number): Lag {
    if (truth.catalog > 0) {
      const marker = redis?.catalog
      this.#note(
        catalogName,
        marker === undefined ? undefined : (marker?.version ?? null),
        catalogVersion(truth),
        nowMs
      )
    }
    for (const shard of truth.changes.keys()) {
      this.#note(shard, versionOfMarker(redis?.markers.get(shard)), versionIn(truth, shard), nowMs)
    }
    const firsts = [...this.#seen.values()].map(([first]) => first!.at)
    return { ms: firsts.length === 0 ? 0 : nowMs - Math.min(...firsts), waiting: firsts.length }
  }

  /** @param shardVersion the version in Redis; null if Redis has none, undefined if it could not be read */
  #note(name: string, shardVersion: number | null | undefined, version: number, at: number): void {
    const has = shardVersion === undefined ? (this.#lastVersions.get(name) ?? -1) : (shardVersion ?? -1)
    if (shardVersion !== undefined) this.#lastVersions.set(name, has)
    const missing = (this.#seen.get(name) ?? []).filter((seen) => seen.version > has)
    const newest = missing.at(-1)
    if (version > has && version > (newest?.version ?? -1)) {
      if (missing.length < maxSeen) missing.push({ version, at })
      else newest!.version = version
    }
    if (missing.length === 0) this.#seen.delete(name)
    else this.#seen.set(name, missing)
  }
}

function versionOfMarker(marker: FoundMarker | undefined): number | null | undefined {
  if (marker === undefined) return undefined
  return marker.run === marker.currentRunId ? marker.version : null
}

/**
 * `behind`: Redis lacks changes of the shard. `unverified`: the Redis process does not have the shard's state, and
 * gateways refuse its requests. `unreachable`: the process could not be read.
 */
type ShardState = 'current' | 'behind' | 'unverified' | 'unreachable'

/** The state of every shard: what Redis has, compared with PostgreSQL. */
export function shardStates(markers: ReadonlyMap<Shard, FoundMarker>, truth: Truth): Map<Shard, ShardState> {
  return new Map(allShards.map((shard) => [shard, stateOf(markers.get(shard), versionIn(truth, shard))]))
}

/** The version of a shard's last change in PostgreSQL. */
const versionIn = ({ epoch, changes }: Truth, shard: Shard): number => versionOf(epoch, changes.get(shard) ?? 0)

function stateOf(marker: FoundMarker | undefined, version: number): ShardState {
  if (marker === undefined) return 'unreachable'
  if (marker.version === null || marker.run !== marker.currentRunId) return 'unverified'
  return marker.version < version ? 'behind' : 'current'
}
