import type { LedgerDifferenceReason } from '@tollgate/contracts/http/admin/ledger.ts'
import { accountShard, accountShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readSpends, type Spend } from '@tollgate/state/spend/spend.ts'
import { listUsage, placeOf } from '@tollgate/state/usage/usage.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { adjustments } from '../database/schema/audit.ts'
import { ledger } from '../database/schema/usage.ts'
import { monthOf } from './usage-range.ts'

/** What an account spent in a month according to PostgreSQL, in nanodollars. */
export interface LedgerSums {
  readonly ledger: bigint
  readonly adjustments: bigint
}

/** An account's spend in PostgreSQL, and how Redis differs from it; `difference` is null if it does not. */
export interface ComparedAccount extends LedgerSums {
  readonly account: string
  /** What Redis has counted; null without a counter. */
  readonly counted: bigint | null
  readonly difference: LedgerDifferenceReason | null
}

/**
 * Compares what Redis has counted for accounts this month with the ledger.
 *
 * Usage is counted and copied meanwhile, so this reads Redis before and after the ledger: only an amount outside of
 * both is a difference.
 *
 * @param month a moment of the present month
 * @throws RedisAwayError, or the error of Redis or PostgreSQL
 */
export async function compareLedger(
  orm: Orm,
  redis: RedisLink,
  accounts: readonly string[],
  month: Date
): Promise<ComparedAccount[]> {
  const number = month.getUTCFullYear() * 100 + month.getUTCMonth() + 1
  const before = await readSpends(redis, accounts, number)
  const uncopied = await accountsWithUncopiedUsage(redis, accounts)
  const sums = await readLedgerSums(orm, accounts, month)
  const after = await readSpends(redis, accounts, number)
  return accounts.map((account, index) => {
    const ofAccount = sums.get(account) ?? noSums
    const totals = { before: before[index]!, after: after[index]!, hasUncopied: uncopied.has(account) }
    return {
      account,
      ...ofAccount,
      counted: totals.after === null ? null : BigInt(totals.after.settled),
      difference: judgeDifference(totals, ofAccount)
    }
  })
}

export const noSums: LedgerSums = { ledger: 0n, adjustments: 0n }

/** What Redis had counted before and after the ledger was read. */
export interface CountedSpend {
  readonly before: Spend | null
  readonly after: Spend | null
  /** Whether Redis had usage, before the ledger was read, that was not copied yet. */
  readonly hasUncopied: boolean
}

/** @returns why the counters differ from the ledger; null if they do not */
export function judgeDifference(
  { before, after, hasUncopied }: CountedSpend,
  sums: LedgerSums
): LedgerDifferenceReason | null {
  // Adjustments are no usage: admission adds them to what Redis counted. The ledger may have a correction before the
  // row that it corrects.
  const spent = atLeastZero(sums.ledger)
  if (before === null || after === null) return spent === 0n ? null : 'not_seeded'
  if (BigInt(before.settled) > spent) return hasUncopied ? 'not_copied_yet' : 'redis_has_more'
  return BigInt(after.settled) < spent ? 'ledger_has_more' : null
}

const atLeastZero = (nanos: bigint): bigint => (nanos < 0n ? 0n : nanos)

/** Reads the sums of accounts in the month of a moment. Accounts without usage and adjustments are left out. */
export async function readLedgerSums(
  orm: Orm,
  accounts: readonly string[],
  month: Date
): Promise<Map<string, LedgerSums>> {
  const { from, to } = monthOf(month)
  const ids = sql`any(${`{${accounts.join()}}`}::uuid[])`
  const rows = await queryRows<{ account: string; ledger: string; adjustments: string }>(
    orm,
    sql`
      select account::text, sum(ledger)::text as ledger, sum(adjusted)::text as adjustments
      from (
        select ${ledger.accountId} as account, ${ledger.costNanos} as ledger, 0::bigint as adjusted from ${ledger}
        where ${ledger.accountId} = ${ids} and ${ledger.hour} >= ${sql.param(from, ledger.hour)}
          and ${ledger.hour} < ${sql.param(to, ledger.hour)}
        union all
        select ${adjustments.accountId}, 0::bigint, ${adjustments.nanos} from ${adjustments}
        where ${adjustments.accountId} = ${ids} and ${adjustments.month} = ${sql.param(from, adjustments.month)}
      ) as amounts
      group by 1`
  )
  return new Map(rows.map((row) => [row.account, { ledger: BigInt(row.ledger), adjustments: BigInt(row.adjustments) }]))
}

/** Finds which of these accounts have usage in Redis that control has not copied yet. */
export async function accountsWithUncopiedUsage(redis: RedisLink, accounts: readonly string[]): Promise<Set<string>> {
  const ids = new Set(accounts)
  const shards = new Set(accounts.map(accountShard))
  const result = new Set<string>()
  for await (const names of listUsage(
    redis,
    'changed',
    accountShards.filter((shard) => shards.has(shard))
  )) {
    for (const name of names) {
      const account = placeOf(name)?.account
      if (account !== undefined && ids.has(account)) result.add(account)
    }
  }
  return result
}
