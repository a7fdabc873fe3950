import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { DrizzleQueryError, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows, type Transaction } from '../database/connect.ts'
import { requestLog, requestRates, requests } from '../database/schema/requests.ts'
import { addDays, type KeptDays } from './request-days.ts'
import { type RequestRow, ratesId, requestId, rowColumns, toRow } from './request-row.ts'

/**
 * Called in the transaction that stores receipts, with those that are new or replace another one; not called without
 * any.
 */
export type OnStored = (tx: Transaction, receipts: readonly Receipt[]) => Promise<void>

/** Why receipts are not stored. `old`: their day is not kept any more. `ahead`: their day is far in the future. */
export const skipReasons = ['malformed', 'old', 'ahead'] as const
export type SkipReason = (typeof skipReasons)[number]
export type Skipped = Readonly<Record<SkipReason, number>>

export interface StoredReceipts {
  /** Receipts that the log did not have, or that replaced another one. */
  readonly changed: number
  readonly skipped: Skipped
}

/** Few enough that a statement takes less than about 50 ms. */
export const receiptsPerTransaction = 1000
/** `check_violation`: no partition exists for a row. */
const missingPartition = '23514'

/**
 * Stores receipts in the request log, in transactions of up to 1000. A receipt replaces that of the same request if it
 * outranks it: so the same receipts may be stored again, in any order and by any number of replicas.
 *
 * @param malformed how many others could not be read: they are counted with those that are skipped here
 * @throws the error of PostgreSQL, or of `onStored`; earlier transactions are stored then
 */
export async function storeReceipts(
  orm: Orm,
  receipts: readonly Receipt[],
  { kept, malformed = 0, onStored }: { kept: KeptDays; malformed?: number; onStored?: OnStored | undefined }
): Promise<StoredReceipts> {
  const skipped = { malformed, old: 0, ahead: 0 }
  const rows = new Map<string, Stored>()
  for (const receipt of receipts) {
    const row = toRow(receipt)
    if (row === null) skipped.malformed++
    else if (row.at < kept.from) skipped.old++
    else if (row.at >= kept.to) skipped.ahead++
    // One statement cannot change a row twice.
    else if (row.rank > (rows.get(row.id)?.row.rank ?? -1)) rows.set(row.id, { row, receipt })
  }
  const all = [...rows.values()]
  let changed = 0
  for (let from = 0; from < all.length; from += receiptsPerTransaction) {
    changed += await storeSome(orm, all.slice(from, from + receiptsPerTransaction), onStored)
  }
  await countSkipped(orm, skipped.malformed + skipped.old + skipped.ahead)
  return { changed, skipped }
}

interface Stored {
  readonly row: RequestRow
  readonly receipt: Receipt
}

/** @returns how many have changed the log */
async function storeSome(orm: Orm, stored: readonly Stored[], onStored: OnStored | undefined): Promise<number> {
  const store = () =>
    orm.transaction(async (tx) => {
      await tx.execute(insertRates(stored))
      const changed = await queryRows<{ id: string }>(tx, upsert(JSON.stringify(stored.map(({ row }) => row))))
      const ids = new Set(changed.map(({ id }) => requestId(id)))
      if (ids.size > 0)
        await onStored?.(
          tx,
          stored.flatMap(({ receipt }) => (ids.has(receipt.id) ? [receipt] : []))
        )
      return ids.size
    })
  try {
    return await store()
  } catch (error) {
    if (!(error instanceof DrizzleQueryError)) throw error
    if ((error.cause as { code?: unknown }).code !== missingPartition) throw error
    await addDays(
      orm,
      stored.map(({ row }) => row.at)
    )
    return await store()
  }
}

/** Adds prices that no row has yet, and the beginning of the log. */
function insertRates(stored: readonly Stored[]): SQL {
  const texts = new Set(stored.flatMap(({ receipt }) => receipt.rates ?? []))
  const rates = [...texts].map((text) => ({ id: ratesId(text), rates: text }))
  const first = stored.reduce((least, { row }) => Math.min(least, row.at), Number.POSITIVE_INFINITY)
  return sql`
    with started as (
      insert into ${requestLog} (started_at) values (to_timestamp(${first}::bigint / 1000.0)) on conflict do nothing
    )
    insert into ${requestRates} (id, rates)
    select id, rates from json_to_recordset(${JSON.stringify(rates)}::text::json) as used (id bigint, rates text)
    order by id
    on conflict do nothing`
}

const names = rowColumns.map(([name]) => name)
const list = (terms: readonly string[]): SQL => sql.raw(terms.join(', '))
const insertedColumns = list(names)
const insertedValues = list(names.map((name) => (name === 'at' ? 'to_timestamp(at / 1000.0)' : name)))
const recordColumns = list(rowColumns.map(([name, type]) => `${name} ${type}`))
const replacedColumns = list(
  names.filter((name) => name !== 'id' && name !== 'at').map((name) => `${name} = excluded.${name}`)
)

/** Stores in the order of the primary key: replicas that lock the same rows in different orders could deadlock. */
const upsert = (rows: string): SQL => sql`
  insert into ${requests} (${insertedColumns})
  select ${insertedValues} from json_to_recordset(${rows}::text::json) as copied (${recordColumns})
  order by id
  on conflict (id, at) do update set ${replacedColumns}
  where ${requests.rank} < excluded.rank
  returning ${requests.id}::text as id`

async function countSkipped(orm: Orm, count: number): Promise<void> {
  if (count === 0) return
  await orm.execute(sql`
    insert into ${requestLog} as log (started_at, skipped) values (now(), ${count}::bigint)
    on conflict (one) do update set skipped = log.skipped + excluded.skipped`)
}
