import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { monthlyBudgetCodes } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { and, eq, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { openRefusals } from '../database/schema/notices.ts'
import { dayMs, startOfDay } from '../requests/request-days.ts'
import { monthOf } from '../usage/usage-range.ts'

type Open = Pick<typeof openRefusals.$inferSelect, 'code' | 'lastAt' | 'model' | 'smallest'>

/**
 * Ends the refusals of keys whose requests are served again, by receipts of served requests.
 *
 * @throws the error of PostgreSQL
 */
export async function endByServed(tx: Transaction, receipts: readonly Receipt[]): Promise<void> {
  const served = receipts.filter(({ kind, status }) => kind === 'settled' && status !== null && status < 400)
  const byKey = Map.groupBy(served, ({ account, key }) => JSON.stringify({ account, key }))
  if (byKey.size === 0) return
  const keys = `[${[...byKey.keys()].join()}]`
  const open = await tx
    .select()
    .from(openRefusals)
    .where(
      and(
        isNull(openRefusals.endedAt),
        sql`(${openRefusals.accountId}, ${openRefusals.keyId}) in (
          select account, key from json_to_recordset(${keys}::text::json) as served (account uuid, key text))`
      )
    )
  for (const row of open) {
    const { accountId: account, keyId: key, code } = row
    if (!byKey.get(JSON.stringify({ account, key }))!.some((request) => isEndedBy(row, request))) continue
    await end(tx, and(isOf(account), eq(openRefusals.keyId, key), eq(openRefusals.code, code)))
  }
}

/**
 * Whether a served request shows that refusals have ended. Shorter requests, and other models, may have been served all
 * the time: it must be as large as the smallest refused one, or have the model that was refused.
 */
export function isEndedBy(
  { code, lastAt, model, smallest }: Open,
  request: Pick<Receipt, 'at' | 'heldNanos' | 'heldTokens' | 'model'>
): boolean {
  if (request.at * 1000 <= lastAt.getTime()) return false
  // It came from another address.
  if (code === 'ip_address_not_allowed') return false
  if (code === 'model_not_allowed' && request.model !== model) return false
  if (smallest === null) return true
  return (smallest.unit === 'nanos' ? request.heldNanos : request.heldTokens) >= smallest.needed
}

/**
 * Ends refusals by limits that somebody has just changed. If the new ones refuse requests, too, the next refusal opens
 * them again.
 */
export async function endByChange(tx: Transaction, accountId: string, keyId: string | null): Promise<void> {
  await end(tx, and(isOf(accountId), keyId === null ? undefined : eq(openRefusals.keyId, keyId)))
}

/** Ends refusals after a whole day (UTC) without another one, and those by a budget of an earlier month or day. */
export async function endByTime(tx: Transaction, now: Date): Promise<void> {
  const today = new Date(startOfDay(now.getTime()))
  const ofMonth = and(inArray(openRefusals.code, [...monthlyBudgetCodes]), lt(openRefusals.lastAt, monthOf(now).from))
  const ofDay = and(eq(openRefusals.code, 'free_spend_exhausted'), lt(openRefusals.lastAt, today))
  await end(tx, or(lt(openRefusals.lastAt, new Date(today.getTime() - dayMs)), ofMonth, ofDay))
}

const isOf = (accountId: string): SQL => eq(openRefusals.accountId, accountId)

/**
 * Skips rows that another replica changes at this moment, so that nobody deadlocks. The next served request ends them.
 */
async function end(tx: Transaction, which: SQL | undefined): Promise<void> {
  await tx.execute(sql`
    update ${openRefusals} set ended_at = clock_timestamp()
    where (account_id, key_id, code) in (
      select account_id, key_id, code from ${openRefusals}
      where ${and(isNull(openRefusals.endedAt), which)} for update skip locked
    )`)
}
