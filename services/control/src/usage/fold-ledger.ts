import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type SQL, sql } from 'drizzle-orm'
import { type Clock, earliestTime } from '../clocks/clock.ts'
import { type Database, type Orm, queryRows, type Transaction } from '../database/connect.ts'
import { projection } from '../database/schema/projection.ts'
import { ledger, ledgerTotals } from '../database/schema/usage.ts'
import { eachCounter } from './ledger.ts'

const dayMs = 86_400_000
/** Few enough that a statement takes less than about 50 ms. */
const rowsPerStep = 2000
/** An arbitrary number that nothing else in this database locks. (add_ledger_month locks 7012846613.) */
const lock = 7_012_846_614
/** Drops a partition in the next hour if its lock is not free: waiting for the lock would block other queries. */
const lockTimeoutMs = 2000

export interface LedgerRetention {
  /** Days after which hours are folded into days; at least 3. */
  readonly hoursKeptDays: number
  /** Past months to keep, besides the present one; null to keep all. */
  readonly monthsKept: number | null
}

/**
 * Keeps the ledger small: adds the partitions of this month and the next, folds old hours into days, and drops old
 * months.
 *
 * An hour may only be folded when no more copies of its usage can come, or usage would count twice. So this closes
 * hours first, after all usage in Redis was copied: from then on `store` refuses copies of them. The next call folds
 * them. Redis can have usage of closed hours only from a dump that is days old; the ledger already has that usage.
 *
 * Any number of replicas may do this at once.
 *
 * @param now a time by the earliest clock, after which all usage in Redis was copied; a later time closes hours too
 *   early
 * @param isStopping called between steps
 * @returns how many rows were folded, the dropped months, and whether nothing is left to do
 */
export async function foldLedger(
  orm: Orm,
  { hoursKeptDays, monthsKept }: LedgerRetention,
  now: Date,
  isStopping = () => false
): Promise<{ folded: number; dropped: string[]; isDone: boolean }> {
  await orm.execute(sql`select add_ledger_month(${now.toISOString()}::timestamptz),
    add_ledger_month(date_trunc('month', ${now.toISOString()}::timestamptz, 'UTC') + interval '40 days')`)
  const keptFrom = monthsKept === null ? null : firstOfMonth(now, -monthsKept)
  const dropped = keptFrom === null ? [] : await dropMonths(orm, keptFrom)
  let folded = 0
  const { from, to } = await closedRange(orm)
  for (let day = from; day < to && !isStopping(); day += dayMs) folded += await foldDay(orm, new Date(day), isStopping)
  const daysFrom = Math.floor((now.getTime() - hoursKeptDays * dayMs) / dayMs) * dayMs
  await closeBefore(orm, new Date(Math.max(daysFrom, keptFrom?.getTime() ?? 0)))
  return { folded, dropped, isDone: !isStopping() }
}

/** The days that are closed but not folded: begin and end in ms since the epoch. */
async function closedRange(orm: Orm): Promise<{ from: number; to: number }> {
  const [row] = await queryRows<{ from: string | null; to: string | null }>(
    orm,
    sql`
      select (extract(epoch from coalesce(
          ledger_folded_before,
          (select date_trunc('day', min(hour), 'UTC') from ${ledger} where hour < ledger_closed_before)
        )) * 1000)::bigint::text as "from",
        (extract(epoch from ledger_closed_before) * 1000)::bigint::text as "to"
      from ${projection}`
  )
  return row?.from == null || row.to === null ? { from: 0, to: 0 } : { from: Number(row.from), to: Number(row.to) }
}

/** Folds the hours of a day, some rows per transaction. The sums stay right at every moment. */
async function foldDay(orm: Orm, day: Date, isStopping: () => boolean): Promise<number> {
  let folded = 0
  while (!isStopping()) {
    const count = await orm.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lock))})`)
      const rows = await foldRows(tx, day)
      if (rows < rowsPerStep) {
        const next = new Date(day.getTime() + dayMs)
        const isLater = sql`coalesce(ledger_folded_before, '-infinity') < ${next.toISOString()}::timestamptz`
        await tx.update(projection).set({ ledgerFoldedBefore: next }).where(isLater)
      }
      return rows
    })
    folded += count
    if (count < rowsPerStep) return folded
  }
  return folded
}

/** The runs of folded days: `day`, or `day-<upstream>`. A tag of a run is hexadecimal, so none begins with `day`. */
const dayRun = sql`case when upstream = '' then 'day' else 'day-' || upstream end`

/** Folds up to {@link rowsPerStep} hourly rows of a day. @returns how many */
async function foldRows(tx: Transaction, day: Date): Promise<number> {
  const [from, to] = [day.toISOString(), new Date(day.getTime() + dayMs).toISOString()]
  const [row] = await queryRows<{ count: string }>(
    tx,
    sql`
      with hours as (
        select account_id, hour, run, key_id, model from ${ledger}
        where ${ledger.hour} >= ${from}::timestamptz and ${ledger.hour} < ${to}::timestamptz and ${ledger.run} not like 'day%'
        limit ${rowsPerStep}
      ), taken as (
        delete from ${ledger} using hours
        where ${ledger.hour} >= ${from}::timestamptz and ${ledger.hour} < ${to}::timestamptz
          and ${ledger.accountId} = hours.account_id and ${ledger.hour} = hours.hour and ${ledger.run} = hours.run
          and ${ledger.keyId} = hours.key_id and ${ledger.model} = hours.model
        returning ${ledger}.*
      ), folded as (
        insert into ${ledger} as stored (
          account_id, hour, run, key_id, model, upstream, revision, ${eachCounter((_counter, column) => column)}
        )
        select account_id, ${from}::timestamptz, ${dayRun}, key_id, model, upstream, 1, ${eachCounter((_counter, column) => `sum(${column})`)}
        from taken
        group by account_id, key_id, model, upstream
        on conflict (account_id, hour, run, key_id, model) do update set
          revision = stored.revision + 1,
          ${eachCounter((_counter, column) => `${column} = stored.${column} + excluded.${column}`)}
      )
      select count(*)::text as count from taken`
  )
  return Number(row!.count)
}

/** Drops the partitions that end before a time and whose hours are closed. @returns their names */
async function dropMonths(orm: Orm, before: Date): Promise<string[]> {
  const months = await queryRows<{ name: string; first: string }>(
    orm,
    sql`
      select relname::text as name, to_date(substr(relname, 8), 'YYYY_MM')::text as first from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'ledger'::regclass and relname ~ '^ledger_[0-9]{4}_[0-9]{2}$'
        and to_date(substr(relname, 8), 'YYYY_MM') < ${before.toISOString().slice(0, 10)}::date
        and to_date(substr(relname, 8), 'YYYY_MM') + interval '1 month' <=
          (select max(ledger_closed_before) at time zone 'UTC' from ${projection})
      order by 1`
  )
  for (const { first } of months) {
    await orm.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = ${sql.raw(String(lockTimeoutMs))}`)
      // Another replica may drop it at the same time: its costs must be added once.
      await tx.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lock))})`)
      await tx.execute(keepTotals(new Date(`${first}T00:00:00Z`)))
      await tx.execute(sql`select drop_ledger_month((${first}::timestamp) at time zone 'UTC')`)
    })
  }
  return months.map(({ name }) => name)
}

/** Adds the costs of a month to the totals. */
const keepTotals = (month: Date): SQL => sql`
  insert into ${ledgerTotals} as kept (account_id, key_id, model, cost_nanos)
  select account_id, key_id, model, sum(cost_nanos) from ${ledger}
  where ${ledger.hour} >= ${month.toISOString()}::timestamptz and ${ledger.hour} < ${firstOfMonth(month, 1).toISOString()}::timestamptz
  group by 1, 2, 3
  on conflict (account_id, key_id, model) do update set cost_nanos = kept.cost_nanos + excluded.cost_nanos`

async function closeBefore(orm: Orm, hour: Date): Promise<void> {
  await orm
    .insert(projection)
    .values({ ledgerClosedBefore: hour })
    .onConflictDoUpdate({
      target: projection.one,
      set: { ledgerClosedBefore: hour },
      setWhere: sql`${projection.ledgerClosedBefore} is null or ${projection.ledgerClosedBefore} < excluded.ledger_closed_before`
    })
}

/** The first moment of a month (UTC), `after` months after that of `now`. */
const firstOfMonth = (now: Date, after: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + after))

/** How long the usage copier may wait for one call. */
const timeoutMs = 500

interface MaintainLedgerOptions {
  database: Database
  redis: RedisLink
  clock: Clock
  retention: LedgerRetention
}

/** Folds the ledger for up to half a second. @returns whether nothing is left to fold */
export async function maintainLedger(
  { database, redis, clock, retention }: MaintainLedgerOptions,
  signal: AbortSignal
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  const isStopping = () => signal.aborted || performance.now() > deadline
  const now = await earliestTime(database.orm, redis, clock)
  return (await foldLedger(database.orm, retention, now, isStopping)).isDone
}
