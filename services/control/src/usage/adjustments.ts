import type { Adjustment } from '@tollgate/contracts/http/usage.ts'
import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'
import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { adjustments } from '../database/schema/admin.ts'

export type AdjustmentRow = typeof adjustments.$inferSelect

/** The sum of an account's adjustments in months that begin in a range, nanodollars. */
export async function sumAdjustments(orm: Orm, accountId: string, from: Date, to: Date): Promise<bigint> {
  const [row] = await orm
    .select({ nanos: sql<string>`coalesce(sum(${adjustments.nanos}), 0)::text` })
    .from(adjustments)
    .where(inRange(accountId, from, to))
  return BigInt(row!.nanos)
}

/** Adjustments of an account in months that touch a range, newest first. */
export async function readAdjustments(
  orm: Orm,
  accountId: string,
  { from, to }: { from: Date; to: Date },
  limit: number
): Promise<AdjustmentRow[]> {
  const firstMonth = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth()))
  return orm
    .select()
    .from(adjustments)
    .where(inRange(accountId, firstMonth, to))
    .orderBy(desc(adjustments.at), desc(adjustments.id))
    .limit(limit)
}

const inRange = (accountId: string, from: Date, to: Date) =>
  and(eq(adjustments.accountId, accountId), gte(adjustments.month, from), lt(adjustments.month, to))

/** An adjustment as the API shows it. */
export function toAdjustment({ id, at, month, nanos, reason }: AdjustmentRow): Adjustment {
  return {
    id,
    at: at.toISOString(),
    month: month.toISOString().slice(0, 7),
    amount_usd: formatSignedUsd(BigInt(nanos)),
    reason
  }
}
