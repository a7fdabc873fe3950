import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'
import { type SQL, sql } from 'drizzle-orm'
import { queryRows, type Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { ledger } from '../database/schema/usage.ts'
import { users } from '../database/schema/users.ts'
import { takings } from './takings.ts'

/** A calendar month in UTC; `to` is exclusive. */
export interface Month {
  readonly from: Date
  readonly to: Date
}

/** Amounts of money are texts of whole numbers: nanodollars, or the smallest unit of a currency. */
export interface Earned {
  /** What accounts were charged. */
  charge: string
  /** That minus what the providers bill. */
  margin: string
}

export interface ServedRow extends Earned {
  model: string
  upstream: string
  /** Such as `2026-11-30`, UTC. */
  day: string
  requests: string
}

/** What each model and upstream served and earned on each day of a month. */
export const readServed = (tx: Transaction, month: Month): Promise<ServedRow[]> =>
  queryRows<ServedRow>(
    tx,
    sql`
      select ${ledger.model} as model, ${ledger.upstream} as upstream,
        to_char(${ledger.hour} at time zone 'UTC', 'YYYY-MM-DD') as day, sum(${ledger.requests})::text as requests,
        sum(${ledger.costNanos})::text as charge, sum(${ledger.marginNanos})::text as margin
      from ${ledger} where ${within(sql`${ledger.hour}`, month)}
      group by 1, 2, 3`
  )

/** Revenue of one account: amounts by currency. */
type Amounts = Record<string, string>

export interface AccountCosts {
  plans: Array<{ plan: string; accounts: string } & Earned>
  /** Revenue from all accounts of a plan. */
  revenue: Array<{ plan: string; currency: string; amount: string }>
  unprofitable: Array<{ id: string; email: string; plan: string; paid: Amounts | null } & Earned>
}

/**
 * Reads cost and revenue of a month by account. An account has its present plan. Accounts without a row have the plan
 * ''.
 *
 * @param limit how many accounts `unprofitable` has. It has no accounts that pay in other currencies than dollars: what
 *   they pay cannot be compared with their cost.
 */
export async function readAccountCosts(tx: Transaction, month: Month, limit: number): Promise<AccountCosts> {
  const [row] = await queryRows<{ costs: string }>(tx, accountCosts(month, limit))
  return JSON.parse(row!.costs) as AccountCosts
}

/** One statement: the ledger of the month is read once. Exported for tests of its query plan. */
export const accountCosts = (month: Month, limit: number): SQL => sql`
  with cost as (
    select ${ledger.accountId} as id, sum(${ledger.costNanos}) as charge, sum(${ledger.marginNanos}) as margin
    from ${ledger} where ${within(sql`${ledger.hour}`, month)}
    group by 1
  ), paid as (
    select account_id as id, currency, sum(amount) as amount
    from ${takings((time) => within(time, month))} as takings where purpose = 'plan'
    group by 1, 2
  ), paid_by_account as (
    select id, json_object_agg(currency, amount::text order by currency) as paid,
      sum(amount) filter (where currency = 'usd') as cents, bool_and(currency = 'usd') as is_usd
    from paid group by 1
  ), account as materialized (
    select id, coalesce(${accounts.planInForce}, '') as plan, coalesce(charge, 0) as charge, coalesce(margin, 0) as margin,
      paid, coalesce(charge - margin, 0) - coalesce(cents, 0) * ${sql.raw(String(nanosPerCent))} as loss, coalesce(is_usd, true) as is_usd
    from (select * from cost full join paid_by_account using (id)) as costs
    left join ${accounts} using (id)
  ), plans as (
    select plan, count(*)::text as accounts, sum(charge)::text as charge, sum(margin)::text as margin
    from account group by 1 order by sum(charge - margin) desc, 1
  ), revenue as (
    select coalesce(${accounts.planInForce}, '') as plan, currency, sum(amount)::text as amount
    from paid left join ${accounts} using (id)
    group by 1, 2 order by 1, 2
  ), unprofitable as (
    select account.id, coalesce(${users.email}, '') as email, account.plan, charge::text, margin::text, paid
    from (select * from account where is_usd and loss > 0 order by loss desc, id limit ${limit}) as account
    left join ${accounts} using (id) left join ${users} on ${users.id} = ${accounts.ownerId}
    order by loss desc, account.id
  )
  select json_build_object(
    'plans', (select coalesce(json_agg(plans), '[]') from plans),
    'revenue', (select coalesce(json_agg(revenue), '[]') from revenue),
    'unprofitable', (select coalesce(json_agg(unprofitable), '[]') from unprofitable)
  )::text as costs`

/** What usage earned in each month, in the order of `months`. */
export async function readMonthlyEarnings(tx: Transaction, months: readonly Month[]): Promise<Earned[]> {
  // Each month has its own condition: the ledger has a partition for each month.
  const costs = months.map(
    (month, index) => sql`
      select ${index}::int as month, coalesce(sum(${ledger.costNanos}), 0)::text as charge,
        coalesce(sum(${ledger.marginNanos}), 0)::text as margin
      from ${ledger} where ${within(sql`${ledger.hour}`, month)}`
  )
  const rows = await queryRows<{ month: number } & Earned>(tx, sql.join(costs, sql` union all `))
  const byMonth = new Map(rows.map((row) => [row.month, row]))
  return months.map((_month, index) => byMonth.get(index)!)
}

export interface RevenueRow {
  /** Such as `2026-11`. */
  month: string
  currency: string
  /** From plans, without tax and after refunds. */
  amount: string
  tax: string
  /** From anything else, without tax and after refunds. */
  other: string
  /** All that went back. */
  refunded: string
}

/** What customers of Tollgate paid in a range, by month and currency; see {@link takings}. */
export const readRevenue = (tx: Transaction, range: Month): Promise<RevenueRow[]> =>
  queryRows<RevenueRow>(
    tx,
    sql`
      select to_char(at at time zone 'UTC', 'YYYY-MM') as month, currency,
        coalesce(sum(amount) filter (where purpose = 'plan'), 0)::text as amount,
        coalesce(sum(tax) filter (where purpose = 'plan'), 0)::text as tax,
        coalesce(sum(amount) filter (where purpose = 'other'), 0)::text as other, sum(refunded)::text as refunded
      from ${takings((time) => within(time, range))} as takings
      group by 1, 2 order by 1, 2`
  )

function within(column: SQL, { from, to }: Month): SQL {
  const time = (at: Date) => sql.param(at, ledger.hour)
  return sql`${column} >= ${time(from)} and ${column} < ${time(to)}`
}

/** A cent in nanodollars. */
const nanosPerCent = 10_000_000n

/** A sum of money in one currency, in its smallest unit. */
export interface Revenue {
  readonly currency: string
  readonly amount: number
}

/**
 * Revenue minus what the providers bill, in dollars.
 *
 * @returns null if there is revenue in another currency than dollars
 */
export function profitUsd(revenue: readonly Revenue[], costNanos: bigint): string | null {
  if (revenue.some(({ currency }) => currency !== 'usd')) return null
  const cents = revenue.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  return formatSignedUsd(cents * nanosPerCent - costNanos)
}
