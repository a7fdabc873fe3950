import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { isRefusal } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { openRefusals, refusals } from '../database/schema/refusals.ts'

const hourMs = 3_600_000

type Counted = typeof refusals.$inferInsert
type Opened = typeof openRefusals.$inferInsert

/**
 * Counts refused requests by hour, key and code, in the transaction that stores their receipts: so each receipt counts once. It also
 * opens the refusals of a key, or continues them.
 *
 * @param receipts those that were stored for the first time
 * @throws the error of PostgreSQL
 */
export async function noteRefusals(tx: Transaction, receipts: readonly Receipt[]): Promise<void> {
  const refused = receipts.filter(({ kind, status }) => kind === 'refused' && isRefusal(status))
  if (refused.length === 0) return
  await tx
    .insert(refusals)
    .values(countByHour(refused))
    .onConflictDoUpdate({
      target: [refusals.accountId, refusals.hour, refusals.keyId, refusals.code],
      set: { count: sql`${refusals.count} + excluded.count` }
    })
  const needed = (row: string) => sql.raw(`(${row}.smallest ->> 'needed')::bigint`)
  await tx
    .insert(openRefusals)
    .values(mergeByKey(refused))
    .onConflictDoUpdate({
      target: [openRefusals.accountId, openRefusals.keyId, openRefusals.code],
      set: {
        since: sql`least(${openRefusals.since}, excluded.since)`,
        lastAt: sql`greatest(${openRefusals.lastAt}, excluded.last_at)`,
        count: sql`${openRefusals.count} + excluded.count`,
        model: sql`excluded.model`,
        // After they ended, for instance because a budget was raised, earlier amounts say nothing of the present ones.
        smallest: sql`case
          when ${openRefusals.endedAt} is null
            and (excluded.smallest is null or ${needed('open_refusals')} < ${needed('excluded')})
          then ${openRefusals.smallest}
          else excluded.smallest end`,
        endedAt: null
      }
    })
}

/** In one order, so that replicas do not deadlock. */
function inOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

function countByHour(refused: readonly Receipt[]): Counted[] {
  const rows = new Map<string, Counted>()
  for (const { account: accountId, key: keyId, code: errorCode, at, count } of refused) {
    const [hour, code] = [Math.floor((at * 1000) / hourMs) * hourMs, errorCode ?? '']
    const name = JSON.stringify([accountId, hour, keyId, code])
    const earlier = rows.get(name)?.count ?? 0
    rows.set(name, { accountId, keyId, code, hour: new Date(hour), count: earlier + count })
  }
  return inOrder(rows)
}

function mergeByKey(refused: readonly Receipt[]): Opened[] {
  const rows = new Map<string, Opened>()
  for (const { account: accountId, key: keyId, code: errorCode, at, count, model, refused: amounts } of refused) {
    const code = errorCode ?? ''
    const name = JSON.stringify([accountId, keyId, code])
    const earlier = rows.get(name)
    const time = new Date(at * 1000)
    const known = earlier?.smallest ?? null
    rows.set(name, {
      ...{ accountId, keyId, code, model },
      since: earlier === undefined || time < earlier.since ? time : earlier.since,
      lastAt: earlier === undefined || time > earlier.lastAt ? time : earlier.lastAt,
      count: (earlier?.count ?? 0) + count,
      smallest: known !== null && amounts !== null && known.needed < amounts.needed ? known : (amounts ?? known)
    })
  }
  return inOrder(rows)
}
