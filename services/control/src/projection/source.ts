import type { KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { AccountShard, Shard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import type { Ledger } from '../usage/ledger.ts'

/**
 * How long after its revocation a key's tombstone is replayed into an empty Redis: a day, far longer than an earlier
 * state of the key can be delayed.
 */
export const deadRecordMs = 86_400_000

/** PostgreSQL's side of the comparison. */
export interface Truth {
  epoch: number
  /** The last change of each shard; a shard without changes is missing. */
  changes: ReadonlyMap<Shard, number>
  /** The last change of any revoked key that was deleted from PostgreSQL, by the shard of its account. */
  purged: ReadonlyMap<Shard, number>
  /** Number of the current catalog; 0 without one. */
  catalog: number
  /** PostgreSQL's time, ms since the epoch. */
  nowMs: number
}

export type KeyWrite = Extract<ProjectionWrite, { kind: 'key' }>

/**
 * A key that was revoked or rotated, but not in PostgreSQL: it was restored to an earlier state. The key is as
 * PostgreSQL has it.
 */
export interface EndedKey {
  readonly account: string
  readonly key: string
  readonly version: number
  readonly digest: string
  readonly ending: Ending
}

/** Reads the state in PostgreSQL that is projected to Redis. */
export interface ProjectionSource {
  /** Has the spend that a Redis with lost data needs. */
  readonly ledger: Ledger
  /** Raises the budgets with a window of some shards to what the ledger and Redis' usage say. */
  seedBudgets(redis: RedisLink, shards: readonly AccountShard[], signal: AbortSignal): Promise<void>
  readTruth(): Promise<Truth>
  /**
   * All rows of some shards after a change (0 for all), in pages, as writes to Redis under an epoch. Rows that change
   * meanwhile come again in their later state.
   *
   * @param withDead includes keys and secrets that ended long ago ({@link deadRecordMs}, or `deadPointerMs` for
   *   pointers); a Redis without them does not need them
   */
  writesAfter(
    shards: readonly Shard[],
    change: number,
    epoch: number,
    withDead: boolean
  ): AsyncIterable<ProjectionWrite[]>
  /** The current state of an account, as writes under the current epoch; empty if it does not exist. */
  writesOfAccount(account: string): Promise<ProjectionWrite[]>
  /**
   * As {@link writesOfAccount}, for a key: its record, then the pointers of its secret and of the secret that the last
   * change replaced. The record comes first, so that no pointer leads to a missing record.
   */
  writesOfKey(account: string, key: string): Promise<ProjectionWrite[]>
  /**
   * Revokes or rotates keys that are still as they were read, in the same epoch. Others stay as they are. @returns the
   * ended keys
   */
  endKeys(ended: readonly EndedKey[]): Promise<readonly EndedKey[]>
  /** Raises the epoch above `seen` and `other`, if it still is `seen`: of concurrent calls one succeeds. */
  raiseEpoch(seen: number, other: number): Promise<void>
  /** @throws Error without a catalog */
  readCatalog(): Promise<{ number: number; json: string }>
}

/**
 * How a secret of a key ended after the state to which PostgreSQL was restored: the key was revoked, or it got another
 * secret.
 */
export type Ending =
  | { readonly kind: 'revoked' }
  | {
      readonly kind: 'rotated'
      /** Of the present secret. */
      readonly digest: string
      /** The grace of the secret before. */
      readonly previous: KeyRecord['previous']
    }
