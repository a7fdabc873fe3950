import { rateCodes } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { and, eq, isNotNull, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { openRefusals } from '../database/schema/notices.ts'
import { type NewEvent, recordEvents, toEventKey } from '../events/record-event.ts'
import { endByTime } from '../refusals/end-refusals.ts'
import { showOpenRefusal } from '../refusals/refusals.ts'
import { startOfDay } from '../requests/request-days.ts'
import { noteBudget } from './spend-checks.ts'

/** Rows per round. */
const batch = 500
/** Clients wait and retry at a limit of rate, so few such refusals are no news. */
const minRateRefusals = 100

/**
 * Records `requests.refused` for keys that have begun to refuse requests, and `requests.refused_ended` for those that
 * no longer do: each once for a key, code and day (UTC). What ends before it is told is not told. Any number of
 * replicas may call it, every few seconds.
 *
 * @returns whether more is waiting
 */
export function tellRefusals(orm: Orm, now: Date): Promise<boolean> {
  const today = new Date(startOfDay(now.getTime()))
  return orm.transaction(async (tx) => {
    await endByTime(tx, now)
    const isUntold = or(
      isNull(openRefusals.toldAt),
      and(lt(openRefusals.toldAt, today), sql`${openRefusals.lastAt} >= ${sql.param(today, openRefusals.lastAt)}`)
    )
    const rows = await tx
      .select({ row: openRefusals, key: keys })
      .from(openRefusals)
      .leftJoin(keys, and(eq(keys.id, openRefusals.keyId), eq(keys.status, 'active'), isNull(keys.sessionId)))
      .where(or(isNotNull(openRefusals.endedAt), and(isUntold, isNews)))
      .orderBy(openRefusals.lastAt)
      .limit(batch)
      .for('update', { of: openRefusals, skipLocked: true })
    const happened: NewEvent[] = []
    for (const { row, key } of rows) {
      const place = and(
        eq(openRefusals.accountId, row.accountId),
        eq(openRefusals.keyId, row.keyId),
        eq(openRefusals.code, row.code)
      )
      const isOver = row.endedAt !== null || key === null
      if (isOver) await tx.delete(openRefusals).where(place)
      else {
        await tx.update(openRefusals).set({ toldAt: now }).where(place)
        // A budget that refuses requests may count as used up.
        const isOfKey = row.code === 'key_budget_exceeded' || row.code === 'budget_exceeded'
        const isOfAccount = row.code === 'monthly_budget_exceeded' || row.code === 'budget_exceeded'
        if (isOfKey) await noteBudget(tx, row.accountId, row.keyId)
        if (isOfAccount) await noteBudget(tx, row.accountId, null)
      }
      if (key === null || (isOver && row.toldAt === null)) continue
      const { accountId } = row
      const data = { key: toEventKey(key), ...showOpenRefusal(row) }
      const once = `${accountId}:${row.keyId}:${row.code}:${today.toISOString().slice(0, 10)}`
      happened.push(
        isOver
          ? { type: 'requests.refused_ended', accountId, at: now, data, once: `requests.refused_ended:${once}` }
          : { type: 'requests.refused', accountId, at: now, data, once: `requests.refused:${once}` }
      )
    }
    await recordEvents(tx, happened)
    return rows.length === batch
  })
}

const isNews = or(notInArray(openRefusals.code, [...rateCodes]), sql`${openRefusals.count} >= ${minRateRefusals}`)
