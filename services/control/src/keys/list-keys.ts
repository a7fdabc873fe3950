import type { Key } from '@tollgate/contracts/http/keys.ts'
import { and, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import { toUsd } from '../accounts/own-cap.ts'
import type { Principal } from '../callers/principal.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import type { KeyPlace } from './key-cursor.ts'
import { mayChangeKey } from './may-change-key.ts'

/** Revoked keys can be listed for 30 days. */
const revokedListedMs = 30 * 86_400_000

export interface KeyFilter {
  /** Metadata that a listed key must have. */
  readonly metadata: Readonly<Record<string, string>>
  /** Includes keys revoked in the last 30 days. */
  readonly withRevoked: boolean
  readonly scope: 'inference' | 'management' | null
}

/** A page of the keys of the caller's account, newest first. */
export async function listKeys(
  orm: Orm,
  caller: Principal,
  filter: KeyFilter,
  page: { after: KeyPlace | null; limit: number },
  now: Date
): Promise<{ keys: Key[]; next: KeyPlace | null }> {
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
  if (page.after !== null) {
    const { createdAt, id } = page.after
    conditions.push(sql`(${keys.createdAt}, ${keys.id}) < (${createdAt.toISOString()}::timestamptz, ${id})`)
  }
  const rows = await orm
    .select()
    .from(keys)
    .where(and(...conditions))
    .orderBy(desc(keys.createdAt), desc(keys.id))
    .limit(page.limit + 1)
  const shown = rows.slice(0, page.limit)
  return { keys: shown.map((row) => toListing(row, caller)), next: rows.length > page.limit ? shown.at(-1)! : null }
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
    scope: row.scope,
    expires_at: row.expiresAt?.toISOString() ?? null,
    models: row.models,
    monthly_budget_usd: row.monthlyBudgetNanos === null ? null : toUsd(row.monthlyBudgetNanos),
    thresholds: row.thresholds,
    requests_per_minute: row.requestsPerMinute,
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
