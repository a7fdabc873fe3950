import { type BudgetWindow, windowBegins, windowEnds } from '@tollgate/contracts/records/budget-windows.ts'
import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import type { FoundBudget, SeenBudget, SeenBudgets } from '@tollgate/state/spend/budgets.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { adjustments } from '../database/schema/audit.ts'
import { formerKeys, keys } from '../database/schema/keys.ts'
import { projection } from '../database/schema/projection.ts'
import { ledger, ledgerTotals } from '../database/schema/usage.ts'

/** A budget, with the key that has it; null for one of the account or of a member. */
export interface OwnedBudget extends WindowBudget {
  readonly keyId: string | null
}

/** `isComplete`: no request runs that began before the budget, so its counter will need no further correction. */
interface Found extends FoundBudget {
  readonly isComplete: boolean
}

/**
 * Finds what budgets have spent and reserved in their present windows, from the ledger and from what Redis had at one
 * moment: of each usage row, Redis' state at that moment. Rows that began later do not count, since the counters have
 * them already. Rows of other runs of Redis no longer change there, and the ledger may have more of them.
 *
 * Corrections of usage by operators count for the account's budgets of a month and for ever that count all models.
 *
 * @param budgets in the order of `seen.budgets`
 * @throws the error of PostgreSQL
 */
export async function findSpentInWindows(
  orm: Orm,
  seen: SeenBudgets,
  budgets: readonly OwnedBudget[]
): Promise<Found[]> {
  const personOf = await readPersons(orm, seen.account, budgets)
  // The counters of one window may have different numbers: after the clock was set back, some are in a later one.
  const spends = new Map<string, Promise<Spends>>()
  const spendsIn = (range: Range): Promise<Spends> => {
    const name = `${range.from} ${range.to}`
    if (!spends.has(name)) spends.set(name, readSpends(orm, seen, range))
    return spends.get(name)!
  }
  return await Promise.all(
    budgets.map(async (budget, index) => {
      const counter = seen.budgets[index]!
      const range = rangeOf(budget.window, counter)
      const counts = ({ key, model }: { key: string; model: string }): boolean =>
        (budget.keyId === null || key === budget.keyId) &&
        (budget.member === undefined || personOf.get(key) === budget.member) &&
        (budget.models?.includes(model) ?? true)
      const isIn = (ms: number): boolean =>
        (range.from === null || ms >= range.from) && (range.to === null || ms < range.to)
      const { all, byKey } = await spendsIn(range)
      const candidates = budget.keyId === null ? all : (byKey.get(budget.keyId) ?? [])
      const settled = sum(candidates.filter(counts)) + (await readAdjusted(orm, seen.account, budget, range))
      const holds = seen.holds.filter((hold) => isIn(hold.at * 1000) && counts(hold))
      const isComplete = holds.every((hold) => hold.budgets.includes(counter.field))
      return { seen: counter, settled: Math.max(0, settled), reserved: sum(holds), isComplete }
    })
  )
}

const sum = (parts: ReadonlyArray<{ nanos: number }>): number => parts.reduce((total, { nanos }) => total + nanos, 0)

/** ms since the epoch; null: unbounded */
interface Range {
  readonly from: number | null
  readonly to: number | null
}

const rangeOf = (window: BudgetWindow, { window: number }: SeenBudget): Range => ({
  from: windowBegins(window, number),
  to: windowEnds(window, number)
})

/** Who created the keys of an account, if a budget asks. */
async function readPersons(
  orm: Orm,
  account: string,
  budgets: readonly OwnedBudget[]
): Promise<ReadonlyMap<string, string>> {
  if (budgets.every(({ member }) => member === undefined)) return new Map()
  const rows = await queryRows<{ id: string; person: string }>(
    orm,
    sql`
      select id, created_by::text as person from ${keys} where account_id = ${account}::uuid and created_by is not null
      union all
      select id, created_by::text from ${formerKeys} where account_id = ${account}::uuid`
  )
  return new Map(rows.map(({ id, person }) => [id, person]))
}

interface Spends {
  readonly all: readonly Spend[]
  readonly byKey: ReadonlyMap<string, readonly Spend[]>
}

interface Spend {
  readonly key: string
  readonly model: string
  readonly nanos: number
}

const beginsAt = ({ from }: Range) => sql`${from === null ? '-infinity' : new Date(from).toISOString()}::timestamptz`
const endsAt = ({ to }: Range) => sql`${to === null ? 'infinity' : new Date(to).toISOString()}::timestamptz`

async function readSpends(orm: Orm, seen: SeenBudgets, range: Range): Promise<Spends> {
  const { account, micros, tag, usages, keys: some } = seen
  const ofKeys =
    some === null ? sql`true` : sql`key_id in (select json_array_elements_text(${JSON.stringify(some)}::text::json))`
  const rows = usages.map(({ hour, run, key, model, revision, costNanos }) => ({
    ...{ second: hour * 3600, run, key, model, revision },
    nanos: costNanos,
    own: run.startsWith(tag)
  }))
  const spends = await queryRows<{ key: string; model: string; nanos: string }>(
    orm,
    sql`
      with seen as (
        select to_timestamp(second) as hour, run, key, model, revision, nanos, own
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as seen (
          second bigint, run text, key text, model text, revision bigint, nanos bigint, own boolean
        )
        where to_timestamp(second) >= ${beginsAt(range)} and to_timestamp(second) < ${endsAt(range)}
          and to_timestamp(second) >= coalesce((select max(ledger_closed_before) from ${projection}), '-infinity')
      ),
      copied as (
        select hour, run, key_id as key, model, revision, cost_nanos as nanos from ${ledger}
        where account_id = ${account}::uuid and hour >= ${beginsAt(range)} and hour < ${endsAt(range)} and ${ofKeys}
          and not (run like ${`${tag}%`} and split_part(run, '.', 2)::numeric > ${micros})
      ),
      parts as (
        select copied.key, copied.model, copied.nanos from copied left join seen using (hour, run, key, model)
        where seen.run is null or (not seen.own and copied.revision > seen.revision)
        union all
        select seen.key, seen.model, seen.nanos from seen left join copied using (hour, run, key, model)
        where copied.run is null or seen.own or copied.revision <= seen.revision
        union all
        select key_id, model, cost_nanos from ${ledgerTotals}
        where account_id = ${account}::uuid and ${range.from === null} and ${ofKeys}
      )
      select key, model, sum(nanos)::text as nanos from parts group by key, model`
  )
  const all = spends.map((spend) => ({ ...spend, nanos: Number(spend.nanos) }))
  return { all, byKey: Map.groupBy(all, ({ key }) => key) }
}

async function readAdjusted(orm: Orm, account: string, budget: OwnedBudget, range: Range): Promise<number> {
  const isOfAll = budget.keyId === null && budget.member === undefined && budget.models === undefined
  if (!isOfAll || budget.window === 'day' || budget.window === 'week') return 0
  const [row] = await queryRows<{ nanos: string }>(
    orm,
    sql`select coalesce(sum(nanos), 0)::text as nanos from ${adjustments}
      where account_id = ${account}::uuid and month >= ${beginsAt(range)} and month < ${endsAt(range)}`
  )
  return Number(row!.nanos)
}
