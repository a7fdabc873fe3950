import { isDeepStrictEqual } from 'node:util'
import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { and, asc, eq, lte, or, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type By, byService, recordAudit } from '../audit/record-audit.ts'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import { type Clock, earliestTime } from '../clocks/clock.ts'
import type { Database, Orm, Transaction } from '../database/connect.ts'
import { accounts, type OverrideLimits } from '../database/schema/accounts.ts'
import type { Projector } from '../projection/projector.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { noteChangedLimits, recordPlanChange } from './account-plan.ts'

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
 * Sets or removes what an operator wants instead of an account's plan and its limits. Notify the projector after the
 * commit.
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

/** Selects accounts with an override that has ended, the earliest first. */
function endedOverrides(orm: Orm, now: Date, limit: number) {
  const firstEnd = sql`least(${accounts.overridePlanEndsAt}, ${accounts.overrideLimitsEndAt})`
  return orm
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
}

async function findEndedOverrides(orm: Orm, now: Date, limit: number): Promise<string[]> {
  return (await endedOverrides(orm, now, limit)).map(({ id }) => id)
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

/** Accounts per query. */
const batch = 100

interface EndOverridesOptions {
  database: Database
  redis: RedisLink
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/**
 * Removes operators' overrides when they end, by the earliest clock. Gateways know the end and do not wait for this;
 * control's own answers do. Any number of replicas may run one.
 */
export function createOverrideEnder({
  database: { orm },
  redis,
  projector,
  clock,
  log
}: EndOverridesOptions): Pick<BackgroundLoop, 'start' | 'stop' | 'runOnce' | 'progress'> & WatchedLoop {
  async function endAll(signal: AbortSignal): Promise<boolean> {
    // The earliest clock is not ahead of this one, so most rounds need not ask the others.
    if ((await findEndedOverrides(orm, clock(), 1)).length === 0) return false
    const now = await earliestTime(orm, redis, clock)
    const ended = await findEndedOverrides(orm, now, batch)
    for (const id of ended) {
      if (signal.aborted) return false
      if (await orm.transaction((tx) => endOverride(tx, id, now))) await projector.accountChanged(id)
    }
    return ended.length === batch
  }

  const loop = createBackgroundLoop({
    round: async (signal) => ((await endAll(signal)) ? 'again' : null),
    intervalMs: watchedIntervalMs,
    log,
    messages: {
      failing: 'overrides that have ended cannot be removed',
      recovered: 'overrides that have ended can be removed again'
    }
  })
  return { ...loop, isDue: () => sql`exists (${endedOverrides(orm, clock(), 1)})` }
}
