import { monthNumber } from '@tollgate/state/keyspace/month.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readSpend as readCountedSpend } from '@tollgate/state/spend/spend.ts'
import type { Orm } from '../database/connect.ts'
import { readSpend as readLedgerSpend } from './read-ledger.ts'
import { monthOf } from './usage-range.ts'

/** Nanodollars of the month that a moment is in. */
export type MonthSpend = { settled: bigint; reserved: bigint }

/**
 * What an account has spent this month, and what is held for requests under way. Redis knows at once; after it lost
 * something the ledger may know more, so the larger counts. Without Redis nothing is known of what is held.
 */
export async function readMonthSpend(orm: Orm, redis: RedisLink, accountId: string, now: Date): Promise<MonthSpend> {
  const { from, to } = monthOf(now)
  const [ledger, counted] = await Promise.all([
    readLedgerSpend(orm, accountId, from, to),
    readCountedSpend(redis, accountId, monthNumber(now)).catch(() => null)
  ])
  if (counted === null) return { settled: ledger, reserved: 0n }
  const settled = BigInt(counted.settled)
  return { settled: settled > ledger ? settled : ledger, reserved: BigInt(counted.reserved) }
}
