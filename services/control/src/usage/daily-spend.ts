import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { formerKeys, keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'
import { monthOf } from './usage-range.ts'

const dayMs = 86_400_000

/** Whose requests count, and to which models. */
export interface SpendScope {
  readonly account: string
  /** Null or absent: all keys. */
  readonly key?: string | null
  /** The keys that this person created. */
  readonly member?: string | undefined
  readonly models?: readonly string[] | undefined
}

/** What was spent on the last days (UTC), in nanodollars. */
export interface DailySpend {
  /** The last complete days, oldest first; {@link forecastDays} of them. */
  readonly dayNanos: number[]
  /** Since midnight. */
  todayNanos: number
}

/**
 * Reads the spend of the last days from the ledger, in one query.
 *
 * @returns in the order of the scopes
 * @throws the error of PostgreSQL
 */
export async function readDailySpend(orm: Orm, scopes: readonly SpendScope[], now: Date): Promise<DailySpend[]> {
  const days = scopes.map((): DailySpend => ({ dayNanos: new Array<number>(forecastDays).fill(0), todayNanos: 0 }))
  if (scopes.length === 0) return days
  const today = Math.floor(now.getTime() / dayMs)
  const hour = (day: number) => sql.param(new Date(day * dayMs), ledger.hour)
  // Accounts may have millions of rows, so those are added up before they are matched, and no finer than asked.
  const isByKey = scopes.some(({ key, member }) => key != null || member !== undefined)
  const isByModel = scopes.some(({ models }) => models !== undefined)
  const areOfKeys = scopes.every(({ key }) => key != null)
  const keyIds = JSON.stringify(scopes.flatMap(({ key }) => key ?? []))
  const accountIds = `{${[...new Set(scopes.map(({ account }) => account))].join()}}`
  const asked = scopes.map(({ account, key = null, member = null, models = null }, place) => ({
    ...{ place, account, key, member, models }
  }))
  const rows = await queryRows<{ place: number; day: number; nanos: string }>(
    orm,
    sql`
      with asked as (
        select * from json_to_recordset(${JSON.stringify(asked)}::text::json)
          as asked (place int, account uuid, key text, member uuid, models json)
      ),
      spent as materialized (
        select ${ledger.accountId} as account, floor(extract(epoch from ${ledger.hour}) / 86400)::int as day,
          ${isByKey ? ledger.keyId : sql`''`} as key, ${isByModel ? ledger.model : sql`''`} as model,
          sum(${ledger.costNanos}) as nanos
        from ${ledger}
        where ${ledger.accountId} = any(${accountIds}::uuid[])
          and ${ledger.hour} >= ${hour(today - forecastDays)} and ${ledger.hour} < ${hour(today + 1)}
          and ${areOfKeys ? sql`${ledger.keyId} in (select json_array_elements_text(${keyIds}::text::json))` : sql`true`}
        group by 1, 2, 3, 4
      )
      select place, day, sum(nanos)::text as nanos
      from asked join spent on spent.account = asked.account and (asked.key is null or spent.key = asked.key)
        and (asked.models is null or spent.model in (select json_array_elements_text(asked.models)))
        and (asked.member is null or spent.key in (
          select id from ${keys} where account_id = asked.account and created_by = asked.member
          union all
          select id from ${formerKeys} where account_id = asked.account and created_by = asked.member
        ))
      group by 1, 2`
  )
  for (const { place, day, nanos } of rows) {
    const spend = days[place]!
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
 * Predicts the spend of the whole month: the spend so far, and the pace of the last days for the rest of it.
 *
 * @returns nanodollars; null with fewer than three days of usage
 */
export function forecastMonth({ now, spentNanos, dayNanos }: MonthSoFar): number | null {
  const perDay = paceOf(dayNanos)
  if (perDay === null) return null
  const restDays = (monthOf(now).to.getTime() - now.getTime()) / dayMs
  return Math.round(spentNanos + perDay * restDays)
}

/**
 * Nanodollars a day. Days before the first usage do not count, so that a new account is not underestimated. Null with
 * fewer than three days of usage.
 */
function paceOf(dayNanos: readonly number[]): number | null {
  const first = dayNanos.findIndex((nanos) => nanos > 0)
  const days = first === -1 ? [] : dayNanos.slice(first)
  return days.length < minDays ? null : days.reduce((sum, nanos) => sum + nanos, 0) / days.length
}

interface LeftOfBudget {
  readonly now: Date
  readonly leftNanos: number
  /** As in {@link MonthSoFar}. */
  readonly dayNanos: readonly number[]
  /** When it is whole again; null: never. */
  readonly resetsAt: Date | null
}

/**
 * Predicts when a budget will be used up at the pace of the last days.
 *
 * @returns null if it will not be before it resets or in ten years, if nothing is left, or with fewer than three days of
 *   usage
 */
export function predictEnd({ now, leftNanos, dayNanos, resetsAt }: LeftOfBudget): Date | null {
  const perDay = paceOf(dayNanos)
  if (perDay === null || leftNanos <= 0) return null
  const restDays = leftNanos / perDay
  const mostDays = resetsAt === null ? 3650 : (resetsAt.getTime() - now.getTime()) / dayMs
  return restDays < mostDays ? new Date(now.getTime() + restDays * dayMs) : null
}
