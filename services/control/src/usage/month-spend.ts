import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Adjustment } from '@tollgate/contracts/http/usage.ts'
import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readSpend as readCountedSpend } from '@tollgate/state/spend/spend.ts'
import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { adjustments } from '../database/schema/audit.ts'
import { readSpend as readLedgerSpend } from './read-ledger.ts'
import { monthOf } from './usage-range.ts'

/** An account's spend in one month, in nanodollars. */
export interface MonthSpend {
  settled: bigint
  /** What operators credited beyond what was spent: it may be spent besides the budget. */
  credit: bigint
  reserved: bigint
}

/**
 * Reads what an account has spent this month, and what is reserved for running requests. Redis knows at once. After it
 * lost data the ledger may know more, so the larger counts. Operators' adjustments are added. Without Redis, `reserved`
 * is 0.
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
  const [ledger, counts, adjusted] = await Promise.all([
    readLedgerSpend(orm, accountId, from, to),
    counting,
    sumAdjustments(orm, accountId, from, to)
  ])
  const used = counts === null ? ledger : larger(BigInt(counts.settled), ledger)
  const settled = used + adjusted
  return { settled: larger(settled, 0n), credit: larger(-settled, 0n), reserved: BigInt(counts?.reserved ?? 0) }
}

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

export type AdjustmentRow = typeof adjustments.$inferSelect

/**
 * The sum of adjustments in months that begin in a range, nanodollars.
 *
 * @param accountId null for all accounts
 */
export async function sumAdjustments(orm: Orm, accountId: string | null, from: Date, to: Date): Promise<bigint> {
  const [row] = await orm
    .select({ nanos: sql<string>`coalesce(sum(${adjustments.nanos}), 0)::text` })
    .from(adjustments)
    .where(and(accountId === null ? undefined : eq(adjustments.accountId, accountId), inRange(from, to)))
  return BigInt(row!.nanos)
}

/**
 * Adjustments of an account, newest first.
 *
 * @param range only those of months that touch it; null for all
 */
export async function readAdjustments(
  orm: Orm,
  accountId: string,
  range: { from: Date; to: Date } | null,
  limit: number
): Promise<AdjustmentRow[]> {
  const isAsked = range === null ? undefined : inRange(monthOf(range.from).from, range.to)
  return orm
    .select()
    .from(adjustments)
    .where(and(eq(adjustments.accountId, accountId), isAsked))
    .orderBy(desc(adjustments.at), desc(adjustments.id))
    .limit(limit)
}

const inRange = (from: Date, to: Date) => and(gte(adjustments.month, from), lt(adjustments.month, to))

/** An adjustment as the API shows it. */
export function toAdjustment({ id, at, month, nanos, reason }: AdjustmentRow): Adjustment {
  return {
    id,
    at: at.toISOString(),
    month: nameOfMonth(month),
    amount_usd: formatSignedUsd(BigInt(nanos)),
    reason
  }
}

/** The first moment of a month such as `2026-11`, UTC. */
export const startOfMonth = (month: string): Date => new Date(`${month}-01T00:00:00.000Z`)

/** The month of a moment, such as `2026-11`, UTC. */
export const nameOfMonth = (time: Date): string => time.toISOString().slice(0, 7)

/** The first moments of months up to the one of `now`, oldest first. */
export const lastMonths = (count: number, now: Date): Date[] =>
  Array.from(
    { length: count },
    (_, index) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (count - 1 - index)))
  )
