import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { windowBegins, windowResetsAt } from '@tollgate/contracts/records/budget-windows.ts'
import { type BudgetCounter, presentCounter, readBudgetCounters } from '@tollgate/state/spend/budgets.ts'
import type { Spender } from '@tollgate/state/spend/spend.ts'
import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { openRefusals, toldWindows } from '../database/schema/notices.ts'
import { recordEvent } from '../events/record-event.ts'
import { type BudgetState, decideThreshold, judgedSpend, type Told, toldAfterCorrection } from './decide-threshold.ts'
import type { BudgetSources } from './read-budgets.ts'
import { nameBudget, placeOf, readWatched, type Watched } from './watched-budgets.ts'

type Sources = Pick<BudgetSources, 'orm' | 'redis'>

/**
 * Records `budget.window_threshold` for budgets with a window whose spend has reached a further threshold.
 *
 * @param spenders keys, and accounts: their own budgets and those of their members
 * @returns those that must be checked again, because Redis is away: only it has their spend
 * @throws the error of PostgreSQL, or of Redis if it goes away meanwhile
 */
export async function checkWindows(
  { orm, redis }: Sources,
  spenders: readonly Spender[],
  now: Date
): Promise<readonly Spender[]> {
  const watched = await readWatched(orm, spenders)
  if (watched.length === 0) return []
  const counters = redis.isReady() ? await readBudgetCounters(redis, watched.map(placeOf)).catch(() => null) : null
  if (counters === null) return watched
  const [told, refusals] = await Promise.all([
    orm
      .select()
      .from(toldWindows)
      .where(
        inArray(
          toldWindows.id,
          watched.map(({ id }) => id)
        )
      ),
    readRefusals(orm, [...new Set(watched.map(({ account }) => account))])
  ])
  const toldOf = new Map(told.map((row) => [row.id, row]))
  for (const [index, budget] of watched.entries()) {
    const counter = presentCounter(budget.window, counters[index] ?? null, now)
    if (counter === null) continue
    const refuses = refusals.some((refusal) => isRefusedBy(refusal, budget, counter.window))
    const { told, after, percent } = judge(budget, counter, toldOf.get(budget.id), refuses)
    if (percent !== null || after !== told) await orm.transaction((tx) => tell(tx, redis, { budget, refuses, now }))
  }
  return []
}

function judge(
  { nanos, thresholds }: Watched,
  { window, settled }: BudgetCounter,
  row: typeof toldWindows.$inferSelect | undefined,
  refuses: boolean
) {
  const told: Told = row?.window === window ? row : { percent: 0, spentNanos: 0 }
  const state: BudgetState = { budgetNanos: nanos, spentNanos: settled, thresholds, told, refuses }
  const after = toldAfterCorrection(state)
  return { told, after, percent: decideThreshold({ ...state, told: after }), judgedNanos: judgedSpend(state) }
}

/**
 * Decides again under locks: another replica may have told it meanwhile, and the budget may be gone. It reads the spend
 * again, too: an older reading would look like a correction.
 */
async function tell(
  tx: Transaction,
  redis: Sources['redis'],
  { budget: seen, refuses, now }: { budget: Watched; refuses: boolean; now: Date }
): Promise<void> {
  const { id, account: accountId } = seen
  // Whoever removes the budget waits, and then deletes what was told of it.
  const budget = (await readWatched(tx, [seen], 'locked')).find((one) => one.id === id)
  if (budget === undefined) return
  const nothing = { percent: 0, spentNanos: 0 }
  await tx
    .insert(toldWindows)
    .values({ id, accountId, window: 0, ...nothing })
    .onConflictDoNothing()
  const isTold = eq(toldWindows.id, id)
  const [row] = await tx.select().from(toldWindows).where(isTold).for('update')
  const [read] = await readBudgetCounters(redis, [placeOf(budget)])
  const counter = presentCounter(budget.window, read ?? null, now)
  if (counter === null) return
  const { after, percent, judgedNanos } = judge(budget, counter, row, refuses)
  const { window: number, settled } = counter
  const next = percent === null ? after : { percent, spentNanos: judgedNanos }
  await tx.update(toldWindows).set({ window: number, percent: next.percent, spentNanos: next.spentNanos }).where(isTold)
  if (percent === null) return
  const { window, nanos } = budget
  await recordEvent(tx, {
    type: 'budget.window_threshold',
    accountId,
    at: now,
    data: {
      ...nameBudget(budget),
      percent,
      budget_usd: formatUsd(BigInt(nanos)),
      spent_usd: formatUsd(BigInt(settled)),
      resets_at: windowResetsAt(window, number)
    }
  })
}

interface Refusal {
  readonly account: string
  readonly key: string
  /** Who created the key. */
  readonly person: string | null
  readonly lastAt: Date
  /** Of the budget that refused the smallest request, nanodollars. */
  readonly limitNanos: number | null
}

/** The keys that a budget with a window refuses requests of now. */
async function readRefusals(orm: Orm, accountIds: readonly string[]): Promise<Refusal[]> {
  const { accountId, keyId, code, endedAt, lastAt, smallest } = openRefusals
  const rows = await orm
    .select({ account: accountId, key: keyId, person: keys.createdBy, lastAt, smallest })
    .from(openRefusals)
    .leftJoin(keys, eq(keys.id, keyId))
    .where(and(inArray(accountId, [...accountIds]), eq(code, 'budget_exceeded'), isNull(endedAt)))
  return rows.map((row) => ({ ...row, limitNanos: row.smallest?.limit ?? null }))
}

/** Whether it is this budget that refuses requests: a refusal names no budget, but its limit and its key. */
function isRefusedBy(refusal: Refusal, budget: Watched, window: number): boolean {
  const { account, key, person, lastAt, limitNanos } = refusal
  const isOfBudget =
    account === budget.account &&
    (budget.key === null || budget.key === key) &&
    (budget.member === undefined || budget.member === person)
  const since = windowBegins(budget.window, window) ?? 0
  return isOfBudget && limitNanos === budget.nanos && lastAt.getTime() >= since
}
