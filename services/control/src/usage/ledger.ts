import { type UsageCounter, usageCounterNames, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import type { LedgerSpend } from '@tollgate/state/spend/spend.ts'
import type { Usage } from '@tollgate/state/usage/usage.ts'
import { type SQL, sql } from 'drizzle-orm'

/** A list in SQL with one term for each usage counter and its column. */
export const eachCounter = (termOf: (counter: UsageCounter, column: string) => string): SQL =>
  sql.raw(usageCounterNames.map((counter) => termOf(counter, usageCounters[counter])).join(', '))

/** The row and its revision in Redis that a row of the ledger was copied from. */
export interface LedgerRow {
  /** Its name in the lists of its shard in Redis. */
  name: string
  account: string
  /** Tag of the run that counted it. */
  tag: string
  /** Hour of admission, whole hours since the epoch. */
  hour: number
  /** The hour in which the row began, if that was late. */
  lateHour: number | null
  /** When it began, µs since the epoch. */
  born: number
  revision: number
}

/** What was served and what it cost, in PostgreSQL. */
export interface Ledger {
  /** Stores copies of usage rows. Skips rows of which a later revision is stored. May be repeated. */
  store(usages: readonly Usage[]): Promise<void>
  /** The accounts of shards, without deleted ones, in pages. An account that changes meanwhile may come twice. */
  accountsOf(shards: readonly AccountShard[]): AsyncIterable<string[]>
  /** The spend of accounts in the month (UTC) of a moment. Omits accounts without rows in that month. */
  spendOf(accounts: readonly string[], now: Date): Promise<LedgerSpend[]>
  /** The rows of accounts from an hour (since the epoch) on, and late rows of the 24 hours before it. */
  rowsSince(accounts: readonly string[], hour: number): Promise<LedgerRow[]>
  /** The present epoch, if not all usage in Redis was copied since it began; else null. */
  uncopiedEpoch(): Promise<number | null>
  /** Notes that all usage in Redis was copied since an epoch began. */
  noteCopied(epoch: number): Promise<void>
}

/**
 * `<tag of the run>[-<upstream>][~<hour in which the row began>].<when it began, µs>`: see `Usage` in
 * state/usage/usage.ts.
 */
const runForm = /^([^~.-]+)(-[^~.]+)?(?:~(\d+))?\.(\d+)$/

interface Stored {
  account: string
  hour: number | string
  run: string
  key: string
  model: string
  revision: number | string
}

/** @returns the row of Redis that a ledger row was copied from; [] if its run has another form, as a folded day has */
export function ledgerRow({ account, hour, run, key, model, revision }: Stored): LedgerRow[] {
  const [, tag, upstream = '', lateHour, born] = runForm.exec(run) ?? []
  if (tag === undefined) return []
  const late = lateHour === undefined ? '' : `~${lateHour}`
  return [
    {
      name: `${account}:${hour}:${tag}${upstream}${late}|${key}|${model}`,
      account,
      tag,
      hour: Number(hour),
      lateHour: lateHour === undefined ? null : Number(lateHour),
      born: Number(born),
      revision: Number(revision)
    }
  ]
}
