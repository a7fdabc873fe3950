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
  const hour = sql`(extract(epoch from hour)::bigint / ${hourSeconds}::int)`
  const day = sql`(extract(epoch from hour)::bigint / ${hourSeconds * hoursPerDay}::int)`
  const rows = await queryRows<{ is_recent: boolean; number: string; model: string } & Record<keyof Counts, string>>(
    orm,
    sql`
      select is_recent, number, model, sum(successes)::text as successes, sum(failures)::text as failures
      from (
        select
          ${hour} >= ${recentFrom}::int as is_recent,
          case when ${hour} >= ${recentFrom}::int then ${hour} else ${day} end as number,
          model, successes, failures
        from ${servedHours} where hour >= to_timestamp(${from * hourSeconds}::float8)
      ) as shown
      group by 1, 2, 3`
  )
  const [days, hours] = [new Map<number, Map<string, Counts>>(), new Map<number, Map<string, Counts>>()]
  for (const { is_recent: isRecent, number, model, successes, failures } of rows) {
    const sums = isRecent ? hours : days
    const models = sums.get(Number(number)) ?? new Map<string, Counts>()
    sums.set(Number(number), models)
    models.set(model, { successes: Number(successes), failures: Number(failures) })
  }
  return { recentFrom, days, hours }
}
