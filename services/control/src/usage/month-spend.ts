import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readSpend as readCountedSpend } from '@tollgate/state/spend/spend.ts'
import type { Orm } from '../database/connect.ts'
import { sumAdjustments } from './adjustments.ts'
import { readSpend as readLedgerSpend } from './read-ledger.ts'
import { monthOf } from './usage-range.ts'

/** An account's spend in one month, in nanodollars. */
export interface MonthSpend {
  settled: bigint
  reserved: bigint
}

/**
 * Reads what an account has spent this month, and what is reserved for running requests. Redis knows at once. After it lost
 * data the ledger may know more, so the larger counts. Operators' adjustments are added. Without Redis, `reserved` is 0.
 */
export const readMonthSpend = (orm: Orm, redis: RedisLink, accountId: string, now: Date): Promise<MonthSpend> =>
  combine(
    orm,
    accountId,
    now,
    readCountedSpend(redis, accountId, monthNumber(now)).catch(() => null)
  )

/** Like {@link readMonthSpend}, but without Redis it fails. @throws ServiceError `state_unavailable` */
export const readCertainSpend = (orm: Orm, redis: RedisLink, accountId: string, now: Date): Promise<MonthSpend> =>
  combine(
    orm,
    accountId,
    now,
    readCountedSpend(redis, accountId, monthNumber(now)).catch((cause: unknown) => {
      throw new ServiceError('state_unavailable', { cause })
    })
  )

async function combine(
  orm: Orm,
  accountId: string,
  now: Date,
  counting: Promise<{ settled: number; reserved: number } | null>
): Promise<MonthSpend> {
  const { from, to } = monthOf(now)
  const [ledger, counted, adjusted] = await Promise.all([
    readLedgerSpend(orm, accountId, from, to),
    counting,
    sumAdjustments(orm, accountId, from, to)
  ])
  const used = counted === null ? ledger : larger(BigInt(counted.settled), ledger)
  return { settled: larger(used + adjusted, 0n), reserved: BigInt(counted?.reserved ?? 0) }
}

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)
