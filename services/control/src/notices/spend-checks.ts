import { type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows, type Transaction } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { type SpendCheckKind, spendChecks } from '../database/schema/notices.ts'
import type { Ledger } from '../usage/ledger.ts'
import { monthOf } from '../usage/usage-range.ts'

/** From a change of spend until its check, which covers everything in between; milliseconds. */
export type CheckDelays = Readonly<Record<SpendCheckKind, number>>

export const defaultCheckDelays: CheckDelays = { budget: 10_000, hour: 600_000, forecast: 6 * 3_600_000 }

/** Usage of a key that was copied to the ledger. */
interface ChangedSpend {
  readonly account: string
  readonly key: string
}

/**
 * Notes which accounts and keys have new usage, so that their spend is checked after a delay. Keys without a budget are
 * left out. A check that is not due yet covers later changes too: so an account that is busy all day costs a few rows a
 * minute, and accounts without usage cost nothing.
 *
 * @throws the error of PostgreSQL; the caller must repeat the copy then
 */
export async function noteSpend(orm: Orm, changed: readonly ChangedSpend[], delays: CheckDelays): Promise<void> {
  if (changed.length > 0) await orm.execute(insertChecks(changed, delays))
}

const insertChecks = (changed: readonly ChangedSpend[], delays: CheckDelays): SQL => sql`
  with changed as (
    select account, key from json_to_recordset(${JSON.stringify(changed)}::text::json) as changed (account uuid, key text)
  ),
  kinds as (
    select key as kind, make_interval(secs => value::float8 / 1000) as delay
    from json_each_text(${JSON.stringify(delays)}::text::json)
  ),
  wanted as (
    select distinct account, kind, '' as key, delay from changed, kinds
    union all
    select distinct changed.account, kinds.kind, ${keys.id}, kinds.delay
    from changed
    join kinds on kinds.kind in ('budget', 'forecast')
    join ${keys} on ${keys.id} = changed.key and ${keys.accountId} = changed.account
    where ${keys.monthlyBudgetNanos} is not null or ${keys.budgets} <> '[]'
  )
  insert into ${spendChecks} (account_id, kind, key_id, due_at)
  select account, kind, key, clock_timestamp() + delay from wanted
  where not exists (
    select from ${spendChecks}
    where ${spendChecks.accountId} = wanted.account and ${spendChecks.kind} = wanted.kind
      and ${spendChecks.keyId} = wanted.key and ${spendChecks.dueAt} > clock_timestamp()
  )
  order by account, kind, key
  on conflict (account_id, kind, key_id) do update set due_at = excluded.due_at
  where ${spendChecks.dueAt} <= clock_timestamp()`

/** Longer than transactions that change budgets, so that the check sees what they commit. */
const committedAfter = '5 seconds'

/**
 * Has the budgets of a key or an account checked after they changed, or after an adjustment of usage, also without new
 * usage.
 *
 * @param keyId null for the budgets of the account and its members
 */
export async function noteBudget(tx: Transaction, accountId: string, keyId: string | null): Promise<void> {
  await tx.execute(sql`
    insert into ${spendChecks} (account_id, kind, key_id, due_at)
    values (${accountId}::uuid, 'budget', ${keyId ?? ''}, clock_timestamp() + ${committedAfter}::interval)
    on conflict (account_id, kind, key_id) do update set due_at = greatest(${spendChecks.dueAt}, excluded.due_at)`)
}

/** A check that is due, leased to this replica. */
export interface ClaimedCheck {
  readonly account: string
  readonly kind: SpendCheckKind
  /** Empty: the account itself. */
  readonly key: string
  readonly due: string
}

/** If a replica dies during a check, another one repeats it after this time. */
const leaseSeconds = 30

/** Leases the checks that are due, the oldest first. Any number of replicas may call it at once. */
export function claimChecks(orm: Orm, limit: number): Promise<ClaimedCheck[]> {
  return queryRows<ClaimedCheck>(
    orm,
    sql`
      update ${spendChecks} set lease_ends_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
      where (account_id, kind, key_id) in (
        select account_id, kind, key_id from ${spendChecks}
        where ${areDue}
        order by due_at limit ${limit} for update skip locked
      )
      returning account_id::text as account, kind, key_id as key, due_at::text as due`
  )
}

const areDue = sql`due_at <= clock_timestamp() and (lease_ends_at is null or lease_ends_at <= clock_timestamp())`

/** The condition that a check is due. */
export const hasDueChecks = (): SQL => sql`exists (select from ${spendChecks} where ${areDue})`

/** Removes checks that are done. What changed after they were due is checked again. */
export async function endChecks(orm: Orm, done: readonly ClaimedCheck[]): Promise<void> {
  if (done.length === 0) return
  await orm.execute(sql`
    delete from ${spendChecks} where (account_id, kind, key_id) in (
      select account_id, kind, key_id from ${spendChecks}
      join json_to_recordset(${JSON.stringify(done)}::text::json) as done (account uuid, kind text, key text, due timestamptz)
        using (kind)
      where account_id = done.account and key_id = done.key and due_at = done.due
      for update of ${spendChecks} skip locked
    )`)
}

const hourMs = 3_600_000

/**
 * A ledger that also notes whose spend has changed. A note is written before Redis forgets that the row has changed, so
 * it is repeated by the next copy if this replica dies.
 *
 * @param now usage of earlier months is not noted: nobody can still act on it
 */
export function noteCopiedUsage(ledger: Ledger, orm: Orm, delays: CheckDelays, now: () => Date): Ledger {
  return {
    ...ledger,
    async store(usages) {
      await ledger.store(usages)
      const firstHour = monthOf(now()).from.getTime() / hourMs
      const changed = new Map<string, ChangedSpend>()
      for (const { account, key, hour } of usages) {
        if (hour >= firstHour) changed.set(`${account} ${key}`, { account, key })
      }
      await noteSpend(orm, [...changed.values()], delays)
    }
  }
}
