import type { Shard } from '@tollgate/state/keyspace/names.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import type { Ledger } from '../usage/ledger.ts'

/**
 * How long a replay into an empty Redis still brings the tombstone of a revoked key (a day): far longer than an earlier state
 * of the key can be on its way.
 */
export const deadRecordMs = 86_400_000

/** What Redis is compared with. */
export type Truth = {
  epoch: number
  /** The last change of each shard; one that never had any is not in it. */
  changes: ReadonlyMap<Shard, number>
  /** The last change of any revoked key that was deleted from Postgres, by the shard of its account. */
  purged: ReadonlyMap<Shard, number>
  /** Number of the catalog in force; 0 if none has been stored yet. */
  catalog: number
  /** By the clock of Postgres, ms since the epoch. */
  nowMs: number
}

/** The side of the projection that is projected: Postgres. */
export type ProjectionSource = {
  /** What has been spent, of which a Redis that has lost something must learn. */
  readonly ledger: Ledger
  readTruth(): Promise<Truth>
  /**
   * Everything of some shards that changed after a change (0: everything there is), in pages, as the writes that bring it to
   * Redis under an epoch. Rows that change meanwhile come again with their later state.
   *
   * @param withDead also what died so long ago ({@link deadRecordMs}, or `deadPointerMs` for pointers) that a Redis that
   *   lacks it need not learn of it
   */
  writesAfter(
    shards: readonly Shard[],
    change: number,
    epoch: number,
    withDead: boolean
  ): AsyncIterable<ProjectionWrite[]>
  /** The present state of an account, as writes under the present epoch; none if it does not exist. */
  writesOfAccount(account: string): Promise<ProjectionWrite[]>
  /**
   * As {@link writesOfAccount}, for a key: its record, then the pointers of its secret and of the one that its last change
   * replaced, so that no pointer leads to nothing.
   */
  writesOfKey(account: string, key: string): Promise<ProjectionWrite[]>
  /** Raises the epoch above `seen`, which it must still be, and above `other`. Of several at once one succeeds. */
  raiseEpoch(seen: number, other: number): Promise<void>
  /** @throws if there is none */
  readCatalog(): Promise<{ number: number; json: string }>
}
