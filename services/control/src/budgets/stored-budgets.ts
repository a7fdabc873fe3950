import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { AccountBudgetTerms, KeyBudget, KeyBudgetTerms } from '@tollgate/contracts/http/budgets.ts'
import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { budgetField } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import { listText } from '../audit/record-audit.ts'
import { exactNanos, inPlan, toUsd } from '../catalog/plans.ts'
import { type Orm, queryRows, type Transaction } from '../database/connect.ts'
import { budgetCounts, budgetIds } from '../database/schema/usage.ts'

/** A budget that a caller wants. */
export type WantedBudget = Omit<WindowBudget, 'id'>

/** Budgets of a key or an account: its budget of a month for all models is stored apart from the others. */
export interface WantedBudgets {
  readonly monthlyNanos: number | null
  readonly others: readonly WantedBudget[]
}

/**
 * Reads the budgets of a request.
 *
 * @param plan the account's
 * @throws ServiceError `invalid_request` naming the field
 */
export function readBudgetTerms(
  asked: ReadonlyArray<KeyBudgetTerms | AccountBudgetTerms>,
  catalog: Catalog,
  plan: string
): WantedBudgets {
  let monthlyNanos: number | null = null
  const others: WantedBudget[] = []
  const seen = new Set<string>()
  for (const [index, budget] of asked.entries()) {
    const at = `budgets.${index}`
    const member = 'of' in budget ? readMember(budget, at) : null
    const models = budget.models == null ? null : inPlan(`${at}.models`, budget.models.toSorted(), catalog, plan)
    const wanted = {
      window: budget.window,
      nanos: exactNanos(`${at}.limit_usd`, budget.limit_usd),
      ...(models !== null && { models }),
      ...(member !== null && { member })
    }
    if (seen.has(scopeOf(wanted))) throw invalid(`${at}: the same window and models are there twice`)
    seen.add(scopeOf(wanted))
    if (budget.window === 'month' && models === null && member === null) monthlyNanos = wanted.nanos
    else others.push(wanted)
  }
  return { monthlyNanos, others }
}

function readMember({ of, member_id: id = null }: AccountBudgetTerms, at: string): string | null {
  if (of === 'member' && id === null) throw invalid(`${at}.member_id: name the person`)
  if (of === 'account' && id !== null) throw invalid(`${at}.member_id: only with "of": "member"`)
  return id?.toLowerCase() ?? null
}

const invalid = (message: string) => new ServiceError('invalid_request', { message })

/**
 * Replaces stored budgets by wanted ones. A budget of the same person, window and models stays the same budget with
 * another limit: what it counted stays. New ones are counted from the ledger, and removed ones are forgotten, by the
 * notes that this leaves.
 *
 * @returns the budgets to store
 */
export async function replaceBudgets(
  tx: Transaction,
  of: { accountId: string; keyId: string | null },
  stored: readonly WindowBudget[],
  wanted: readonly WantedBudget[]
): Promise<WindowBudget[]> {
  const result = await numberBudgets(tx, wanted, stored)
  const kept = new Set(result.map(({ id }) => id))
  const before = new Set(stored.map(({ id }) => id))
  await noteBudgetCounts(tx, of, [
    ...stored.filter(({ id }) => !kept.has(id)),
    ...result.filter(({ id }) => !before.has(id))
  ])
  return result
}

/** What a budget counts: no two of a key or an account count the same. */
const scopeOf = ({ window, models = [], member = '' }: WantedBudget): string => JSON.stringify([window, models, member])

/**
 * Numbers budgets: each has the number of the stored one that counts the same, else a new one. A new key needs no more:
 * it has spent nothing.
 */
export async function numberBudgets(
  tx: Transaction,
  wanted: readonly WantedBudget[],
  stored: readonly WindowBudget[] = []
): Promise<WindowBudget[]> {
  const known = new Map(stored.map((budget) => [scopeOf(budget), budget.id]))
  const result: WindowBudget[] = []
  for (const one of wanted) result.push({ id: known.get(scopeOf(one)) ?? (await nextId(tx)), ...one })
  return result
}

async function nextId(tx: Transaction): Promise<number> {
  const [row] = await queryRows<{ id: string }>(tx, sql`select nextval(${budgetIds.seqName}) as id`)
  return Number(row!.id)
}

/** Has budgets counted, or forgotten if they are gone: see count-budgets.ts. */
export async function noteBudgetCounts(
  db: Orm,
  { accountId, keyId }: { accountId: string; keyId: string | null },
  budgets: readonly WindowBudget[]
): Promise<void> {
  if (budgets.length === 0) return
  await db
    .insert(budgetCounts)
    .values(
      budgets.map((budget) => ({ id: budget.id, accountId, keyId, field: budgetField(budget), dueAt: sql`now()` }))
    )
    .onConflictDoUpdate({ target: budgetCounts.id, set: { dueAt: sql`excluded.due_at` } })
}

/** All budgets of a key, that of a month first. */
export function toKeyBudgets(monthlyNanos: number | null, budgets: readonly WindowBudget[]): KeyBudget[] {
  const monthly = monthlyNanos === null ? [] : [{ window: 'month' as const, nanos: monthlyNanos }]
  return [...monthly, ...budgets].map(toKeyBudget)
}

/** The budget in the units of the API. */
export const toKeyBudget = ({ window, models, nanos }: Omit<WantedBudget, 'member'>): KeyBudget => ({
  window,
  models: models ?? null,
  limit_usd: toUsd(nanos)
})

/** A budget for people, such as `$5.00 a day for small and large`. */
export function describeBudget({ window, nanos, models, member }: WantedBudget): string {
  const often = window === 'lifetime' ? 'for ever' : `a ${window}`
  const person = member === undefined ? '' : ` of the member ${member}`
  return `$${formatNanos(nanos)} ${often}${person}${models === undefined ? '' : ` for ${models.join(' and ')}`}`
}

/** Budgets for the audit log; null without any. */
export const describeBudgets = (budgets: readonly WantedBudget[]): string | null =>
  listText(budgets.length === 0 ? null : budgets.map(describeBudget))
