import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { budgetField } from '@tollgate/state/keyspace/names.ts'
import type { Spender } from '@tollgate/state/spend/spend.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { noticeSettings } from '../database/schema/notices.ts'
import { toEventKey } from '../events/record-event.ts'
import { defaultThresholds } from './decide-threshold.ts'

/** A budget with a window, with whom it belongs to. */
export interface Watched extends WindowBudget, Spender {
  readonly thresholds: readonly number[]
  /** null for a budget of the account or a member. */
  readonly eventKey: ReturnType<typeof toEventKey> | null
}

/** Where Redis has what is spent of it. */
export const placeOf = (budget: Watched) => ({ account: budget.account, field: budgetField(budget) })

/** How events say which budget it is. */
export function nameBudget({ window, models, member, eventKey }: Omit<Watched, 'thresholds' | 'id'>) {
  const scope: 'account' | 'member' | 'key' = eventKey !== null ? 'key' : member !== undefined ? 'member' : 'account'
  return { scope, key: eventKey, member_id: member ?? null, window, models: models === undefined ? null : [...models] }
}

/**
 * The budgets with a window of accounts, and of keys that are asked for, without those of deleted accounts and revoked
 * keys.
 *
 * @param how `locked`: they stay as they are until the transaction ends
 * @throws the error of PostgreSQL
 */
export async function readWatched(
  orm: Orm,
  spenders: readonly Spender[],
  how: 'locked' | 'free' = 'free'
): Promise<Watched[]> {
  const accountIds = spenders.flatMap(({ account, key }) => (key === null ? account : []))
  const keyIds = spenders.flatMap(({ key }) => key ?? [])
  const isOpen = sql`not 'deleted' = any (${accounts.suspensions})`
  const ofAccounts = orm
    .select({ account: accounts.id, budgets: accounts.budgets, settings: noticeSettings })
    .from(accounts)
    .leftJoin(noticeSettings, eq(noticeSettings.accountId, accounts.id))
    .where(and(inArray(accounts.id, accountIds), sql`${accounts.budgets} <> '[]'`, isOpen))
    .$dynamic()
  const ofKeys = orm
    .select({ key: keys, settings: noticeSettings })
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .leftJoin(noticeSettings, eq(noticeSettings.accountId, keys.accountId))
    .where(and(inArray(keys.id, keyIds), eq(keys.status, 'active'), sql`${keys.budgets} <> '[]'`, isOpen))
    .$dynamic()
  const isLocked = how === 'locked'
  const [accountRows, keyRows] = await Promise.all([
    accountIds.length === 0 ? [] : isLocked ? ofAccounts.for('share', { of: accounts }) : ofAccounts,
    keyIds.length === 0 ? [] : isLocked ? ofKeys.for('share', { of: keys }) : ofKeys
  ])
  return [
    ...accountRows.flatMap(({ account, budgets, settings }) =>
      budgets.map((budget) => {
        const thresholds = settings?.thresholds ?? defaultThresholds
        return { ...budget, account, key: null, thresholds, eventKey: null }
      })
    ),
    ...keyRows.flatMap(({ key, settings }) =>
      key.budgets.map((budget) => {
        const thresholds = key.thresholds ?? settings?.keyThresholds ?? defaultThresholds
        return { ...budget, account: key.accountId, key: key.id, thresholds, eventKey: toEventKey(key) }
      })
    )
  ]
}
