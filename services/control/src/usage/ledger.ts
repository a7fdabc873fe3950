import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import type { LedgerSpend } from '@tollgate/state/spend/spend.ts'
import type { Usage } from '@tollgate/state/usage/parse-usage.ts'

/** Which row of usage in Redis a row of the ledger is a copy of, and of which state of it. */
export type LedgerRow = {
  /** As it stands in the lists of its shard in Redis. */
  name: string
  account: string
  /** Of the run that counted it. */
  tag: string
  /** Hour of admission, whole hours since the epoch. */
  hour: number
  /** The hour in which the row began, if that was late. */
  lateHour: number | null
  /** When it began, µs since the epoch. */
  born: number
  revision: number
}

/** What was served and what it cost, as Postgres keeps it. */
export type Ledger = {
  /** Stores copies of rows of usage, each unless a copy of a later revision is there. May be repeated. */
  store(usages: readonly Usage[]): Promise<void>
  /** The accounts of shards that are not deleted, in pages. One that changes meanwhile may come twice. */
  accountsOf(shards: readonly AccountShard[]): AsyncIterable<string[]>
  /** What accounts have spent in the month that a moment is in (UTC), of those that have rows in it. */
  spendOf(accounts: readonly string[], now: Date): Promise<LedgerSpend[]>
  /** The rows of accounts from an hour on, which is counted since the epoch, and those that began late in the day before. */
  rowsSince(accounts: readonly string[], hour: number): Promise<LedgerRow[]>
  /** The present epoch if since its beginning not all usage in Redis was copied; null if it was. */
  uncopiedEpoch(): Promise<number | null>
  /** Notes that since the beginning of an epoch all usage in Redis was copied. */
  noteCopied(epoch: number): Promise<void>
}
