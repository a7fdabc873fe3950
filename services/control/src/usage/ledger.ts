import type { AccountShard } from '@tollgate/contracts/keyspace/names.ts'
import type { Usage } from '@tollgate/contracts/redis/parse-usage.ts'
import type { LedgerSpend } from '@tollgate/contracts/redis/spend.ts'

/** What was served and what it cost, as Postgres keeps it. */
export type Ledger = {
  /** Stores copies of rows of usage, each unless a copy of a later revision is there. May be repeated. */
  store(usages: readonly Usage[]): Promise<void>
  /** The accounts of a shard that are not deleted, in pages. One that changes meanwhile may come twice. */
  accountsOf(shard: AccountShard): AsyncIterable<string[]>
  /** What accounts have spent in the month that a moment is in (UTC), of those that have rows in it. */
  spendOf(accounts: readonly string[], now: Date): Promise<LedgerSpend[]>
  /** The present epoch if since its beginning not all usage in Redis was copied; null if it was. */
  uncopiedEpoch(): Promise<number | null>
  /** Notes that since the beginning of an epoch all usage in Redis was copied. */
  noteCopied(epoch: number): Promise<void>
}
