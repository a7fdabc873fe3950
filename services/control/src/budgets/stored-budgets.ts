import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { AccountBudgetTerms, KeyBudget, KeyBudgetTerms } from '@tollgate/contracts/http/budgets.ts'
import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { cutText } from '@tollgate/service/text.ts'
import { budgetField } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
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
    const what = JSON.stringify([member, budget.window, models])
    if (seen.has(what)) throw invalid(`${at}: the same window and models are there twice`)
    seen.add(what)
    const nanos = exactNanos(`${at}.limit_usd`, budget.limit_usd)
    if (budget.window === 'month' && models === null && member === null) monthlyNanos = nanos
    else
      others.push({
        window: budget.window,
        nanos,
        ...(models !== null && { models }),
        ...(member !== null && { member })
      })
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
  const whatOf = ({ window, models = [], member = '' }: WantedBudget) => JSON.stringify([window, models, member])
  const known = new Map(stored.map((budget) => [whatOf(budget), budget]))
  const result: WindowBudget[] = []
  for (const one of wanted) {
    const present = known.get(whatOf(one))
    result.push({ id: present?.id ?? (await nextId(tx)), ...one })
  }
  const kept = new Set(result.map(({ id }) => id))
  const before = new Set(stored.map(({ id }) => id))
  await noteBudgetCounts(tx, of, [
    ...stored.filter(({ id }) => !kept.has(id)),
    ...result.filter(({ id }) => !before.has(id))
  ])
  return result
}

/** The budgets of a new key: it has spent nothing, so nothing must be counted. */
export async function numberBudgets(tx: Transaction, wanted: readonly WantedBudget[]): Promise<WindowBudget[]> {
  const result: WindowBudget[] = []
  for (const one of wanted) result.push({ id: await nextId(tx), ...one })
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

/** Whether a key or an account already has all wanted budgets. */
export function hasBudgets(
  stored: { monthlyNanos: number | null; budgets: readonly WindowBudget[] },
  { monthlyNanos, others }: WantedBudgets
): boolean {
  const present = stored.budgets.map(({ id: _id, ...budget }) => budget)
  return monthlyNanos === stored.monthlyNanos && isDeepStrictEqual(present, others)
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

/** The audit log keeps no more of a list. */
const maxListLength = 200

/** Budgets for the audit log; null without any. */
export function describeBudgets(budgets: readonly WantedBudget[]): string | null {
  const text = budgets.map(describeBudget).join(', ')
  if (text.length > maxListLength) return `${cutText(text, { length: maxListLength })}…`
  return text === '' ? null : text
}
