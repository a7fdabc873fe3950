import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { ledger } from '../database/schema/usage.ts'
import { monthOf } from './usage-range.ts'

const dayMs = 86_400_000

/** What an account spent on the last days (UTC), in nanodollars. */
export interface DailySpend {
  /** The last complete days, oldest first; {@link forecastDays} of them. */
  readonly dayNanos: number[]
  /** Since midnight. */
  todayNanos: number
}

/**
 * Reads the spend of the last days of accounts from the ledger. Every account has an entry. @throws the error of
 * PostgreSQL
 */
export async function readDailySpend(
  orm: Orm,
  accounts: readonly string[],
  now: Date
): Promise<Map<string, DailySpend>> {
  const today = Math.floor(now.getTime() / dayMs)
  const hour = (day: number) => sql.param(new Date(day * dayMs), ledger.hour)
  const rows = await queryRows<{ account: string; day: number; nanos: string }>(
    orm,
    sql`
      select ${ledger.accountId}::text as account, floor(extract(epoch from ${ledger.hour}) / 86400)::int as day,
        sum(${ledger.costNanos})::text as nanos
      from ${ledger}
      where ${ledger.accountId} = any(${`{${accounts.join()}}`}::uuid[])
        and ${ledger.hour} >= ${hour(today - forecastDays)} and ${ledger.hour} < ${hour(today + 1)}
      group by 1, 2`
  )
  const days = new Map<string, DailySpend>(
    accounts.map((account) => [account, { dayNanos: new Array<number>(forecastDays).fill(0), todayNanos: 0 }])
  )
  for (const { account, day, nanos } of rows) {
    const spend = days.get(account)!
    // A correction may come before the row that it corrects.
    const spent = Math.max(0, Number(nanos))
    if (Number(day) === today) spend.todayNanos = spent
    else spend.dayNanos[Number(day) - (today - forecastDays)] = spent
  }
  return days
}

/** The pace is that of so many complete days at most. */
const forecastDays = 7
/** Fewer days with usage say too little. */
const minDays = 3

interface MonthSoFar {
  readonly now: Date
  /** In this month. */
  readonly spentNanos: number
  /**
   * Spend of the last complete days (UTC), oldest first; at most {@link forecastDays}. They may be of the month before.
   */
  readonly dayNanos: readonly number[]
}

/**
 * Predicts the spend of the whole month: the spend so far, and the pace of the last complete days for the rest of it.
 * Days before the first usage do not count, so that a new account is not underestimated.
 *
 * @returns nanodollars; null with fewer than three days of usage
 */
export function forecastMonth({ now, spentNanos, dayNanos }: MonthSoFar): number | null {
  const first = dayNanos.findIndex((nanos) => nanos > 0)
  const days = first === -1 ? [] : dayNanos.slice(first)
  if (days.length < minDays) return null
  const perDay = days.reduce((sum, nanos) => sum + nanos, 0) / days.length
  const restDays = (monthOf(now).to.getTime() - now.getTime()) / dayMs
  return Math.round(spentNanos + perDay * restDays)
}
