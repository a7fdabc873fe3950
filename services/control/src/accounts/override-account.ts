import { isDeepStrictEqual } from 'node:util'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { and, asc, eq, lte, or, sql } from 'drizzle-orm'
import type { By } from '../audit/by.ts'
import { byService } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { accounts, type OverrideLimits } from '../database/schema/accounts.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { noteChangedLimits, recordPlanChange } from './record-plan-change.ts'

/** A plan instead of the account's own. */
export interface PlanOverride {
  readonly id: string
  /** Null: no end. */
  readonly endsAt: Date | null
}

/** Limits instead of the plan's. */
export interface LimitsOverride {
  readonly limits: OverrideLimits
  /** Null: no end. */
  readonly endsAt: Date | null
}

/** What an operator changes. A missing member stays; null removes an override. */
export interface Override {
  readonly plan?: PlanOverride | null
  readonly limits?: LimitsOverride | null
}

type Detail = Readonly<Record<string, string | number | boolean | null>>

/**
 * Sets or removes what an operator wants instead of an account's plan and its limits. Notify the projector after the commit.
 *
 * @param detail for the audit log
 * @returns whether anything changed
 */
export async function overrideAccount(
  tx: Transaction,
  accountId: string,
  override: Override,
  by: By,
  detail: Detail
): Promise<boolean> {
  await lockChanges(tx)
  const [before] = await tx.select().from(accounts).where(eq(accounts.id, accountId))
  if (before === undefined) return false
  const set = columnsOf(override)
  if (isDeepStrictEqual({ ...before, ...set }, before)) return false
  const version = await recordChange(tx, [accountShard(accountId)])
  const [after] = await tx
    .update(accounts)
    .set({ ...set, version })
    .where(eq(accounts.id, accountId))
    .returning({ plan: accounts.planInForce })
  await recordAudit(tx, { accountId, ...by, action: 'account.overridden', detail })
  await recordPlanChange(tx, accountId, { from: before.planInForce, to: after!.plan }, by.at)
  if (override.limits !== undefined) await noteChangedLimits(tx, accountId)
  return true
}

/** The columns of an account that an override sets. */
export const columnsOf = ({ plan, limits }: Override) => ({
  ...(plan !== undefined && { overridePlan: plan?.id ?? null, overridePlanEndsAt: plan?.endsAt ?? null }),
  ...(limits !== undefined && {
    overrideLimits: limits?.limits ?? null,
    overrideLimitsEndAt: limits?.endsAt ?? null
  })
})

/** Accounts with an override that has ended, the earliest first. */
export async function findEndedOverrides(orm: Orm, now: Date, limit: number): Promise<string[]> {
  const firstEnd = sql`least(${accounts.overridePlanEndsAt}, ${accounts.overrideLimitsEndAt})`
  const rows = await orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      and(
        // So that PostgreSQL can use the partial index.
        or(sql`${accounts.overridePlanEndsAt} is not null`, sql`${accounts.overrideLimitsEndAt} is not null`),
        lte(firstEnd, sql.param(now, accounts.overridePlanEndsAt))
      )
    )
    .orderBy(asc(firstEnd))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Removes the parts of an account's override that have ended. @returns whether there was one */
export async function endOverride(tx: Transaction, accountId: string, now: Date): Promise<boolean> {
  // Under this lock no operator can change the end meanwhile.
  const version = await recordChange(tx, [accountShard(accountId)])
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, accountId))
  if (account === undefined) return false
  const hasEnded = (end: Date | null): boolean => end !== null && end <= now
  const isPlanOver = hasEnded(account.overridePlanEndsAt)
  const areLimitsOver = hasEnded(account.overrideLimitsEndAt)
  if (!isPlanOver && !areLimitsOver) return false
  await tx
    .update(accounts)
    .set({
      ...(isPlanOver && { overridePlan: null, overridePlanEndsAt: null }),
      ...(areLimitsOver && { overrideLimits: null, overrideLimitsEndAt: null }),
      version
    })
    .where(eq(accounts.id, accountId))
  if (isPlanOver) await recordPlanChange(tx, accountId, { from: account.planInForce, to: account.plan }, now)
  if (areLimitsOver) await noteChangedLimits(tx, accountId)
  const ended = [...(isPlanOver ? ['plan'] : []), ...(areLimitsOver ? ['limits'] : [])].join(', ')
  await recordAudit(tx, { accountId, ...byService(now), action: 'account.overridden', detail: { ended } })
  return true
}
