import type { Adjustment } from '@tollgate/contracts/http/usage.ts'
import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'
import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { adjustments } from '../database/schema/admin.ts'
import { nameOfMonth } from './months.ts'
import { monthOf } from './usage-range.ts'

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
