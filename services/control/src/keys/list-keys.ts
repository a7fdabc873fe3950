import type { Key, ListedKey } from '@tollgate/contracts/http/keys.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { and, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import { toKeyBudgets } from '../budgets/stored-budgets.ts'
import type { Principal } from '../callers/principal.ts'
import { toUsd } from '../catalog/plans.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { users } from '../database/schema/users.ts'
import { readOpenRefusals, readRefusalsOfKeys } from '../refusals/refusals.ts'
import { readKeySpends } from '../usage/read-key-spends.ts'
import { containsText, isAfter, type KeyOrder, type KeyPlace, orderOf, spendsOf } from './key-search.ts'

/** Revoked keys can be listed for 30 days. */
const revokedListedMs = 30 * 86_400_000

export interface KeyFilter {
  /** Metadata that a listed key must have. */
  readonly metadata: Readonly<Record<string, string>>
  /** Includes keys revoked in the last 30 days. */
  readonly withRevoked: boolean
  readonly scope: 'inference' | 'management' | null
  /** Null for all keys. */
  readonly text: string | null
  readonly order: KeyOrder
  /** Whether keys are listed with what they have spent this month. */
  readonly withSpend: boolean
}

/**
 * A page of the keys of the caller's account. Null if the last key of the page before is gone, so that its place is
 * unknown.
 */
export async function listKeys(
  orm: Orm,
  caller: Principal,
  filter: KeyFilter,
  page: { after: KeyPlace | null; limit: number },
  now: Date
): Promise<{ keys: ListedKey[]; next: KeyPlace | null } | null> {
  const list = { accountId: caller.accountId, order: filter.order, now }
  const conditions: Array<SQL | undefined> = [
    eq(keys.accountId, caller.accountId),
    isNull(keys.sessionId),
    filter.withRevoked
      ? or(eq(keys.status, 'active'), gt(keys.revokedAt, new Date(now.getTime() - revokedListedMs)))
      : eq(keys.status, 'active')
  ]
  if (filter.scope !== null) conditions.push(eq(keys.scope, filter.scope))
  if (Object.keys(filter.metadata).length > 0) {
    conditions.push(sql`${keys.metadata} @> ${JSON.stringify(filter.metadata)}::jsonb`)
  }
  if (filter.text !== null) conditions.push(containsText(filter.text))
  if (page.after !== null) conditions.push(isAfter(list, page.after))
  const { spends: monthSpends, ofKey } = spendsOf(list)
  const rows = await orm
    .select({ key: keys, creator: nameOfCreator })
    .from(keys)
    .leftJoin(users, eq(users.id, keys.createdBy))
    .leftJoin(monthSpends, ofKey)
    .where(and(...conditions))
    .orderBy(...orderOf(list))
    .limit(page.limit + 1)
  if (rows.length === 0 && page.after !== null && (await findKey(orm, caller.accountId, page.after.id)) === null) {
    return null
  }
  const pageRows = rows.slice(0, page.limit)
  const ids = pageRows.map(({ key }) => key.id)
  const refusals = await readRefusalsOfKeys(orm, caller.accountId, ids)
  const spends = filter.withSpend ? await readKeySpends(orm, caller.accountId, ids, now) : null
  return {
    keys: pageRows.map(({ key, creator }) => ({
      ...toListing(key, caller),
      creator,
      refusals: refusals[key.id] ?? [],
      ...(spends !== null && { spent_usd: formatUsd(spends.get(key.id) ?? 0n) })
    })),
    next: rows.length > page.limit ? pageRows.at(-1)!.key : null
  }
}

/** People who joined by an invitation may have no name. */
const nameOfCreator = sql<string | null>`coalesce(nullif(${users.name}, ''), ${users.email})`

/** A key with its creator and its spend of this month. */
export async function describeKey(
  orm: Orm,
  caller: Principal,
  row: typeof keys.$inferSelect,
  now: Date
): Promise<ListedKey & { spent_usd: string }> {
  const [spends, refusals, [creator]] = await Promise.all([
    readKeySpends(orm, row.accountId, [row.id], now),
    readOpenRefusals(orm, row.accountId, row.id),
    row.createdBy === null ? [] : orm.select({ name: nameOfCreator }).from(users).where(eq(users.id, row.createdBy))
  ])
  return {
    ...toListing(row, caller),
    creator: creator?.name ?? null,
    refusals,
    spent_usd: formatUsd(spends.get(row.id) ?? 0n)
  }
}

export async function findKey(orm: Orm, accountId: string, id: string): Promise<typeof keys.$inferSelect | null> {
  const [row] = await orm
    .select()
    .from(keys)
    .where(and(eq(keys.id, id), eq(keys.accountId, accountId)))
  return row ?? null
}

/** A key as it is stored, without its secret. */
export function toStoredKey(row: typeof keys.$inferSelect): Omit<Key, 'can_change'> {
  return {
    id: row.id,
    label: row.label,
    prefix: row.prefix,
    status: row.status,
    paused: row.paused,
    scope: row.scope,
    expires_at: row.expiresAt?.toISOString() ?? null,
    models: row.models,
    addresses: row.addresses,
    monthly_budget_usd: row.monthlyBudgetNanos === null ? null : toUsd(row.monthlyBudgetNanos),
    budgets: toKeyBudgets(row.monthlyBudgetNanos, row.budgets),
    on_exhausted: row.exhaustedModel === null ? null : { model: row.exhaustedModel },
    thresholds: row.thresholds,
    requests_per_minute: row.requestsPerMinute,
    tokens_per_minute: row.tokensPerMinute,
    concurrent_requests: row.concurrentRequests,
    metadata: row.metadata,
    last_used: row.lastUsedAt?.toISOString() ?? null,
    created: row.createdAt.toISOString(),
    old_secret_until: row.previousUntil?.toISOString() ?? null
  }
}

/** A key for its caller. */
export const toListing = (row: typeof keys.$inferSelect, caller: Principal): Key => ({
  ...toStoredKey(row),
  can_change: mayChangeKey(caller, row)
})

/**
 * Whether a caller may change, rotate and revoke a key of their account. A seat may change only keys that it created.
 */
export const mayChangeKey = (
  { role, userId }: Pick<Principal, 'role' | 'userId'>,
  key: Pick<typeof keys.$inferSelect, 'createdBy'>
): boolean => role !== 'seat' || key.createdBy === userId
