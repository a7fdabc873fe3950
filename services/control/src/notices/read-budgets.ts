import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readSettled, type Spender } from '@tollgate/state/spend/spend.ts'
import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import { monthlyCapNanos } from '../catalog/plans.ts'
import type { Orm } from '../database/connect.ts'
import { freeBudgetColumn } from '../database/derived-columns.ts'
import { accounts } from '../database/schema/accounts.ts'
import { adjustments } from '../database/schema/audit.ts'
import { keys } from '../database/schema/keys.ts'
import { noticeSettings, openRefusals, toldBudgets } from '../database/schema/notices.ts'
import { toEventKey } from '../events/record-event.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { monthOf } from '../usage/usage-range.ts'
import { defaultThresholds, type Told } from './decide-threshold.ts'

/** A budget of this month, with what counts towards it. */
export interface Budget extends Spender {
  readonly budgetNanos: number
  readonly spentNanos: number
  readonly thresholds: readonly number[]
  readonly told: Told
  readonly refuses: boolean
  /** null for the budget of the account. */
  readonly eventKey: ReturnType<typeof toEventKey> | null
}

export interface BudgetSources {
  readonly orm: Orm
  readonly redis: RedisLink
  readonly catalog: Catalog
}

/**
 * Reads budgets with their spend: what admission counts, or the ledger's sums while Redis is away. Leaves out deleted
 * accounts, and keys that are revoked or have no budget.
 *
 * @throws the error of PostgreSQL
 */
export async function readBudgets(
  { orm, redis, catalog }: BudgetSources,
  spenders: readonly Spender[],
  now: Date
): Promise<Budget[]> {
  if (spenders.length === 0) return []
  const ids = [...new Set(spenders.map(({ account }) => account))]
  const keyIds = spenders.flatMap(({ key }) => key ?? [])
  const month = monthOf(now).from
  const [owners, budgetedKeys, told, adjusted, refusing, spent] = await Promise.all([
    readAccounts(orm, ids),
    keyIds.length === 0 ? [] : readKeys(orm, keyIds),
    orm
      .select()
      .from(toldBudgets)
      .where(and(inArray(toldBudgets.accountId, ids), eq(toldBudgets.month, month))),
    readAdjusted(orm, ids, month),
    readRefusing(orm, ids),
    readSpent(orm, redis, spenders, now)
  ])
  const ownerOf = new Map(owners.map((row) => [row.account.id, row]))
  const keyOf = new Map(budgetedKeys.map((row) => [row.id, row]))
  const toldOf = new Map(told.map((row) => [`${row.accountId} ${row.keyId}`, row]))
  return spenders.flatMap((spender, index): Budget[] => {
    const { account, key } = spender
    const owner = ownerOf.get(account)
    if (owner === undefined) return []
    const ofKey = key === null ? null : keyOf.get(key)
    if (ofKey === undefined) return []
    const { thresholds, keyThresholds } = owner.settings ?? { thresholds: null, keyThresholds: null }
    const place = `${account} ${key ?? ''}`
    const notice = toldOf.get(place) ?? { percent: 0, spentNanos: 0 }
    const common = { ...spender, told: notice, refuses: refusing.has(place) }
    if (ofKey === null) {
      const budgetNanos = monthlyCapNanos(catalog, { ...owner.account, freeBudget: owner.freeBudget }, now)
      const spentNanos = Math.max(0, spent[index]! + (adjusted.get(account) ?? 0))
      return [{ ...common, budgetNanos, spentNanos, thresholds: thresholds ?? defaultThresholds, eventKey: null }]
    }
    return [
      {
        ...common,
        budgetNanos: ofKey.monthlyBudgetNanos!,
        spentNanos: spent[index]!,
        thresholds: ofKey.thresholds ?? keyThresholds ?? defaultThresholds,
        eventKey: toEventKey(ofKey)
      }
    ]
  })
}

const readAccounts = (orm: Orm, ids: string[]) =>
  orm
    .select({ account: accounts, freeBudget: freeBudgetColumn, settings: noticeSettings })
    .from(accounts)
    .leftJoin(noticeSettings, eq(noticeSettings.accountId, accounts.id))
    .where(and(inArray(accounts.id, ids), sql`not 'deleted' = any (${accounts.suspensions})`))

const readKeys = (orm: Orm, ids: string[]) =>
  orm
    .select()
    .from(keys)
    .where(and(inArray(keys.id, ids), eq(keys.status, 'active'), isNotNull(keys.monthlyBudgetNanos)))

/** The budgets that refuse requests now, such as `<account> <key>`, or `<account> ` for that of the account. */
async function readRefusing(orm: Orm, ids: string[]): Promise<Set<string>> {
  const { accountId, keyId, code, endedAt } = openRefusals
  const codes = ['key_budget_exceeded', 'monthly_budget_exceeded']
  const rows = await orm
    .select({ accountId, keyId, code })
    .from(openRefusals)
    .where(and(inArray(accountId, ids), inArray(code, codes), isNull(endedAt)))
  return new Set(rows.map((row) => `${row.accountId} ${row.code === 'key_budget_exceeded' ? row.keyId : ''}`))
}

async function readAdjusted(orm: Orm, ids: string[], month: Date): Promise<Map<string, number>> {
  const rows = await orm
    .select({ account: adjustments.accountId, nanos: sql<string>`sum(${adjustments.nanos})::text` })
    .from(adjustments)
    .where(and(inArray(adjustments.accountId, ids), eq(adjustments.month, month)))
    .groupBy(adjustments.accountId)
  return new Map(rows.map(({ account, nanos }) => [account, Number(nanos)]))
}

/** Without adjustments, in the order of the spenders. */
async function readSpent(orm: Orm, redis: RedisLink, spenders: readonly Spender[], now: Date): Promise<number[]> {
  const totals = redis.isReady() ? await readSettled(redis, spenders, monthNumber(now)).catch(() => null) : null
  const missing = spenders.filter((_spender, index) => (totals?.[index] ?? null) === null)
  if (missing.length === 0) return totals as number[]
  const ids = [...new Set(missing.map(({ account }) => account))]
  const sums = new Map((await createPostgresLedger(orm).spendOf(ids, now)).map((sum) => [sum.account, sum]))
  return spenders.map(({ account, key }, index) => {
    const sum = sums.get(account)
    return totals?.[index] ?? (key === null ? sum?.settled : sum?.byKey.get(key)) ?? 0
  })
}
