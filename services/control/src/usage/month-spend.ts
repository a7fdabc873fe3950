import { monthNumber } from '@tollgate/state/keyspace/month.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readSpend as readCountedSpend } from '@tollgate/state/spend/spend.ts'
import type { Orm } from '../database/connect.ts'
import { readSpend as readLedgerSpend } from './read-ledger.ts'
import { monthOf } from './usage-range.ts'

/** An account's spend in one month, in nanodollars. */
export interface MonthSpend {
  settled: bigint
  reserved: bigint
}

/**
 * Reads what an account has spent this month, and what is reserved for running requests. Redis knows at once. After it lost
 * data the ledger may know more, so the larger counts. Without Redis, `reserved` is 0.
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
