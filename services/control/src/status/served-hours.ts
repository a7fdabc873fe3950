import { hourOf } from '@tollgate/state/served/served.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { servedHours } from '../database/schema/served.ts'
import { type CountsByModel, dayOf, type ServedHistory, shownDays } from './served-days.ts'
import type { Counts } from './success-rule.ts'

const hourSeconds = 3600
const hoursPerDay = 24

/**
 * Stores what hours have more than PostgreSQL knows, in one statement. Counts are only raised, so it may be repeated, and
 * any number of replicas may store the same hours. Rows that nothing raises are not touched.
 *
 * @param hours by number
 */
export async function storeServedHours(orm: Orm, hours: ReadonlyMap<number, CountsByModel>): Promise<void> {
  const rows = [...hours].flatMap(([hour, models]) =>
    Array.from(models, ([model, { successes, failures }]) => ({ at: hour * hourSeconds, model, successes, failures }))
  )
  if (rows.length === 0) return
  // In the order of the key: replicas that lock the same rows in different orders could deadlock.
  await orm.execute(sql`
    insert into ${servedHours} as stored (hour, model, successes, failures)
    select to_timestamp(new.at), new.model, new.successes, new.failures
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as new (at float8, model text, successes bigint, failures bigint)
    left join ${servedHours} as old on old.hour = to_timestamp(new.at) and old.model = new.model
    where old.model is null or new.successes > old.successes or new.failures > old.failures
    order by 1, 2
    on conflict (hour, model) do update set
      successes = greatest(stored.successes, excluded.successes),
      failures = greatest(stored.failures, excluded.failures)`)
}

/**
 * Reads the hours of the days that are shown. Those that Redis may still have, and a day more, are not added up.
 *
 * @param now ms since the epoch
 */
export async function readServedHistory(orm: Orm, now: number): Promise<ServedHistory> {
  const recentFrom = hourOf(now) - 2 * hoursPerDay
  const from = (dayOf(now) - shownDays + 1) * hoursPerDay
  const recent = sql`to_timestamp(${recentFrom * hourSeconds}::float8)`
  const rows = await queryRows<{ is_recent: boolean; hour: string; model: string } & Record<keyof Counts, string>>(
    orm,
    sql`
      select
        is_recent, (extract(epoch from at) / ${hourSeconds}::int)::int::text as hour, model,
        sum(successes)::text as successes, sum(failures)::text as failures
      from (
        select
          hour >= ${recent} as is_recent,
          case when hour >= ${recent} then hour else date_trunc('day', hour, 'UTC') end as at,
          model, successes, failures
        from ${servedHours} where hour >= to_timestamp(${from * hourSeconds}::float8)
      ) as shown
      group by is_recent, at, model`
  )
  const [days, hours] = [new Map<number, Map<string, Counts>>(), new Map<number, Map<string, Counts>>()]
  for (const { is_recent: isRecent, hour, model, successes, failures } of rows) {
    const sums = isRecent ? hours : days
    const number = isRecent ? Number(hour) : Number(hour) / hoursPerDay
    const models = sums.get(number) ?? new Map<string, Counts>()
    sums.set(number, models)
    models.set(model, { successes: Number(successes), failures: Number(failures) })
  }
  return { recentFrom, days, hours }
}
