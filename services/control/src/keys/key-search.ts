import type { ListKeysQuery } from '@tollgate/contracts/http/keys.ts'
import { asc, desc, or, type SQL, sql } from 'drizzle-orm'
import { isKeyId } from '../database/key-id.ts'
import { keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'
import * as cursor from '../http/query.ts'
import { selectKeySpends } from '../usage/read-key-spends.ts'

export type KeyOrder = NonNullable<ListKeysQuery['sort']>

/** The condition that a key contains the text; see `q` of `ListKeysQuery`. */
export function containsText(text: string): SQL | undefined {
  const typed = text.trim()
  const isIn = (value: SQL) => sql`position(lower(${typed}) in lower(${value})) > 0`
  const beginning = /^tgm?_(.*)$/.exec(typed)?.[1]?.slice(0, 8)
  return or(
    isIn(sql`${keys.label}`),
    sql`exists (select 1 from jsonb_each_text(${keys.metadata}) as pair where ${isIn(sql`pair.value`)})`,
    sql`${keys.id} = ${typed}`,
    ...(beginning === undefined || beginning === '' ? [] : [sql`starts_with(${keys.prefix}, ${beginning})`])
  )
}

/** The account whose keys are listed, their order, and the present time, which tells the month of their spend. */
export interface KeyList {
  readonly accountId: string
  readonly order: KeyOrder
  readonly now: Date
}

/** What a place in an order is read from: the key's row, and its spend of this month. */
type Place = (row: SQL, spent: SQL) => SQL

/**
 * What each order compares, besides the id. Labels are compared by their bytes: databases sort languages differently.
 */
const sortedBy = {
  newest: { value: (row) => sql`${row}.created_at`, isDescending: true },
  label: { value: (row) => sql`lower(${row}.label) collate "C"`, isDescending: false },
  last_used: { value: (row) => sql`coalesce(${row}.last_used_at, 'epoch'::timestamptz)`, isDescending: true },
  spend: { value: (_row, spent) => spent, isDescending: true }
} as const satisfies Record<KeyOrder, { value: Place; isDescending: boolean }>

const listedRow = sql`${keys}`
const listedSpend = sql`coalesce(month_spends.spent, 0)`

/**
 * What to join to the keys for {@link orderOf} and {@link isAfter}: the spend of each key in this month. Only the order
 * by spend reads the ledger; for the others it is empty.
 */
export function spendsOf({ accountId, order, now }: KeyList): { spends: SQL; ofKey: SQL } {
  const spends = selectKeySpends(accountId, now, order === 'spend' ? sql`true` : sql`false`)
  return { spends: sql`(${spends}) as month_spends`, ofKey: sql`month_spends.key_id = ${keys.id}` }
}

export function orderOf({ order }: KeyList): [SQL, SQL] {
  const { value, isDescending } = sortedBy[order]
  const direction = isDescending ? desc : asc
  return [direction(value(listedRow, listedSpend)), direction(keys.id)]
}

/**
 * The condition that a key comes after another one of the account. The other one may have changed since it was listed.
 */
export function isAfter({ accountId, order, now }: KeyList, { createdAt, id }: KeyPlace): SQL {
  const { value, isDescending } = sortedBy[order]
  const comparison = isDescending ? sql`<` : sql`>`
  const spends = selectKeySpends(accountId, now, sql`${ledger.keyId} = ${id}`)
  const lastSpend = sql`coalesce((select spent from (${spends}) as last_spends), 0)`
  const place =
    order === 'newest'
      ? sql`(${createdAt.toISOString()}::timestamptz, ${id})`
      : sql`(select ${value(sql`last_shown`, lastSpend)}, last_shown.id from ${keys} as last_shown where last_shown.id = ${id})`
  return sql`(${value(listedRow, listedSpend)}, ${keys.id}) ${comparison} ${place}`
}

/** A place in a list of keys, newest first. The next page begins after this key. */
export interface KeyPlace {
  readonly createdAt: Date
  readonly id: string
}

export const writeKeyCursor = ({ createdAt, id }: KeyPlace): string => cursor.writeCursor(createdAt, id)

/** @returns null for any text that {@link writeKeyCursor} did not write */
export function readKeyCursor(text: string): KeyPlace | null {
  const place = cursor.readCursor(text, isKeyId)
  return place === null ? null : { createdAt: place.at, id: place.id }
}
