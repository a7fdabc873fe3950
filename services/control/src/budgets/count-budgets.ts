import { createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { type AccountShard, budgetField } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { correctBudgets, forgetBudgets, readBudgetsAndUsage } from '@tollgate/state/spend/budgets.ts'
import { and, asc, eq, inArray, isNull, lte, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { toldWindows } from '../database/schema/notices.ts'
import { budgetCounts } from '../database/schema/usage.ts'
import { findSpentInWindows, type OwnedBudget } from './spent-in-windows.ts'
import { noteBudgetCounts } from './stored-budgets.ts'

/**
 * A budget is corrected again while requests run that began before it: after a second, or after this many times what
 * counting takes, so that a large account costs Redis little.
 */
const [minAgainMs, maxAgainMs, restShare] = [1000, 60_000, 20]
/** Accounts per round. */
const batch = 50
/** Accounts that are seeded at once. */
const accountsAtOnce = 8
/** Attempts: another replica may correct the same budget at the same time. */
const maxAttempts = 5

interface Sources {
  readonly orm: Orm
  readonly redis: RedisLink
}

/**
 * Brings budgets of an account in Redis to what the ledger and Redis' usage say. Requests may run meanwhile.
 *
 * @param how `raise`: Redis may have counted more than the ledger has, after it lost data, and that stays
 * @returns the ids of those that now count every request. The others lack the holds of requests that began before them:
 *   correct them again when those have ended
 * @throws RedisAwayError, or the error of Redis or PostgreSQL
 */
export async function countBudgets(
  { orm, redis }: Sources,
  account: string,
  budgets: readonly OwnedBudget[],
  how: 'set' | 'raise'
): Promise<Set<number>> {
  const complete = new Set<number>()
  let left = budgets
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === maxAttempts) throw new Error('the budgets of an account change too fast to count them')
    const keysOf = left.flatMap(({ keyId }) => keyId ?? [])
    const seen = await readBudgetsAndUsage(
      redis,
      account,
      left.map(budgetField),
      keysOf.length === left.length ? keysOf : null
    )
    const found = (await findSpentInWindows(orm, seen, left)).map((one) =>
      how === 'set' ? one : { ...one, settled: Math.max(one.settled, one.seen.settled) }
    )
    const outcomes = await correctBudgets(redis, account, found)
    for (const [index, { id }] of left.entries()) {
      if (outcomes[index] && found[index]!.isComplete) complete.add(id)
    }
    left = left.filter((_budget, index) => !outcomes[index])
  }
  return complete
}

/**
 * The budgets with a window of accounts and their keys, without revoked ones.
 *
 * @param of as for {@link countNotedBudgets}
 */
async function readBudgetsOf(
  orm: Orm,
  accountIds: readonly string[],
  of?: string | null
): Promise<Map<string, OwnedBudget[]>> {
  const isOfKey = of == null ? undefined : eq(keys.id, of)
  const [ofAccounts, ofKeys] = await Promise.all([
    orm
      .select({ account: accounts.id, budgets: accounts.budgets })
      .from(accounts)
      .where(and(inArray(accounts.id, [...accountIds]), sql`${accounts.budgets} <> '[]'`)),
    orm
      .select({ account: keys.accountId, keyId: keys.id, budgets: keys.budgets })
      .from(keys)
      .where(
        and(inArray(keys.accountId, [...accountIds]), eq(keys.status, 'active'), sql`${keys.budgets} <> '[]'`, isOfKey)
      )
  ])
  const result = new Map<string, OwnedBudget[]>()
  for (const { account, keyId, budgets } of [...ofAccounts.map((row) => ({ ...row, keyId: null })), ...ofKeys]) {
    // An account may have thousands of keys with budgets.
    const ofAccount = result.get(account) ?? []
    for (const budget of budgets) ofAccount.push({ ...budget, keyId })
    result.set(account, ofAccount)
  }
  return result
}

/** The accounts of shards that have budgets with a window. */
async function accountsWithBudgets(orm: Orm, shards: readonly AccountShard[]): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    orm,
    sql`
      select id::text from ${accounts} where budgets <> '[]' and shard = any(${`{${shards.join()}}`}::text[])
      union
      select account_id::text from ${keys}
      where budgets <> '[]' and status = 'active' and account_shard = any(${`{${shards.join()}}`}::text[])`
  )
  return rows.map(({ id }) => id)
}

/** Those that hold requests which began before them, as an older copy of Redis' data may, are counted again later. */
async function seedAccount(sources: Sources, account: string, budgets: readonly OwnedBudget[]): Promise<void> {
  const complete = await countBudgets(sources, account, budgets, 'raise')
  const others = Map.groupBy(
    budgets.filter(({ id }) => !complete.has(id)),
    ({ keyId }) => keyId
  )
  for (const [keyId, some] of others) await noteBudgetCounts(sources.orm, { accountId: account, keyId }, some)
}

/**
 * Raises the budgets with a window of shards that may have lost some of their spend, before they are verified: no
 * request is admitted meanwhile.
 *
 * @throws as {@link countBudgets}; the signal's reason
 */
export async function seedBudgets(
  sources: Sources,
  shards: readonly AccountShard[],
  signal: AbortSignal
): Promise<void> {
  const all = await accountsWithBudgets(sources.orm, shards)
  for (let from = 0; from < all.length; from += accountsAtOnce) {
    signal.throwIfAborted()
    const some = all.slice(from, from + accountsAtOnce)
    const budgets = await readBudgetsOf(sources.orm, some)
    await Promise.all([...budgets].map(([account, own]) => seedAccount(sources, account, own)))
  }
}

/**
 * Counts or forgets budgets of an account that are noted; see `noteBudgetCounts`.
 *
 * @param of the key whose budgets are counted; null for those of the account and its members; absent for all
 * @throws as {@link countBudgets}; the notes stay
 */
export async function countNotedBudgets(sources: Sources, accountId: string, of?: string | null): Promise<void> {
  const { orm, redis } = sources
  const ofKey = of === null ? isNull(budgetCounts.keyId) : of && eq(budgetCounts.keyId, of)
  const noted = await orm
    .select()
    .from(budgetCounts)
    .where(and(eq(budgetCounts.accountId, accountId), ofKey || undefined))
  if (noted.length === 0) return
  const present = (await readBudgetsOf(orm, [accountId], of)).get(accountId) ?? []
  const ids = new Set(noted.map(({ id }) => id))
  const due = present.filter(({ id }) => ids.has(id))
  const dueIds = new Set(due.map(({ id }) => id))
  const gone = noted.filter(({ id }) => !dueIds.has(id))
  if (gone.length > 0) {
    await forgetBudgets(
      redis,
      accountId,
      gone.map(({ field }) => field)
    )
    await orm.delete(toldWindows).where(
      inArray(
        toldWindows.id,
        gone.map(({ id }) => id)
      )
    )
  }
  const beganAt = performance.now()
  const complete = await countBudgets(sources, accountId, due, 'set')
  const restMs = Math.min(maxAgainMs, Math.max(minAgainMs, restShare * (performance.now() - beganAt)))
  for (const { id, dueAt } of noted) {
    const isNoted = and(eq(budgetCounts.id, id), eq(budgetCounts.dueAt, dueAt))
    if (complete.has(id) || !dueIds.has(id)) await orm.delete(budgetCounts).where(isNoted)
    else {
      const dueAgain = sql`now() + ${`${Math.round(restMs)} ms`}::interval`
      await orm.update(budgetCounts).set({ dueAt: dueAgain }).where(isNoted)
    }
  }
}

/**
 * As {@link countNotedBudgets}, after a change of a key, or of an account (null).
 *
 * @returns whether they count now; else the loop counts them soon
 */
export async function countBudgetsNow(
  { database: { orm }, redis, log }: { database: Database; redis: RedisLink; log: Pick<FastifyBaseLogger, 'warn'> },
  accountId: string,
  of: string | null
): Promise<boolean> {
  try {
    await countNotedBudgets({ orm, redis }, accountId, of)
    return true
  } catch (err) {
    log.warn({ err, account: accountId }, 'budgets could not be counted at once; the loop counts them')
    return false
  }
}

/**
 * Counts the budgets that are noted. A change of a budget counts it at once: this repeats it while older requests run,
 * or if it failed. Any number of replicas may run it.
 */
export function createBudgetCounter({
  database: { orm },
  redis,
  log
}: {
  database: Database
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}) {
  const loop = createBackgroundLoop({
    async round(signal) {
      const due = await orm
        .selectDistinct({ accountId: budgetCounts.accountId })
        .from(budgetCounts)
        .where(lte(budgetCounts.dueAt, sql`now()`))
        .orderBy(asc(budgetCounts.accountId))
        .limit(batch)
      for (const { accountId } of due) {
        signal.throwIfAborted()
        await countNotedBudgets({ orm, redis }, accountId)
      }
      return due.length === batch ? 'again' : null
    },
    intervalMs: watchedIntervalMs,
    readiness: redis,
    log,
    messages: {
      failing: 'new budgets cannot be counted; they lack what was spent before them',
      recovered: 'new budgets are counted again'
    }
  })
  const isDue: WatchedLoop['isDue'] = () => sql`exists (select from ${budgetCounts} where due_at <= now())`
  return { ...loop, isDue }
}
