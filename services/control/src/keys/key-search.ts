import type { ListKeysQuery } from '@tollgate/contracts/http/keys.ts'
import { asc, desc, or, type SQL, sql } from 'drizzle-orm'
import { keys } from '../database/schema/keys.ts'
import type { KeyPlace } from './key-cursor.ts'

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

/** What each order compares, besides the id. Labels are compared by their bytes: databases sort languages differently. */
const sortedBy = {
  newest: { value: (table: SQL) => sql`${table}.created_at`, isDescending: true },
  label: { value: (table: SQL) => sql`lower(${table}.label) collate "C"`, isDescending: false },
  last_used: {
    value: (table: SQL) => sql`coalesce(${table}.last_used_at, 'epoch'::timestamptz)`,
    isDescending: true
  }
} as const satisfies Record<KeyOrder, { value: (table: SQL) => SQL; isDescending: boolean }>

const listed = sql`${keys}`

export function orderOf(order: KeyOrder): [SQL, SQL] {
  const { value, isDescending } = sortedBy[order]
  const direction = isDescending ? desc : asc
  return [direction(value(listed)), direction(keys.id)]
}

/** The condition that a key comes after another one of the account. The other one may have changed since it was listed. */
export function isAfter(order: KeyOrder, { createdAt, id }: KeyPlace): SQL {
  const { value, isDescending } = sortedBy[order]
  const comparison = isDescending ? sql`<` : sql`>`
  const place =
    order === 'newest'
      ? sql`(${createdAt.toISOString()}::timestamptz, ${id})`
      : sql`(select ${value(sql`last_shown`)}, last_shown.id from ${keys} as last_shown where last_shown.id = ${id})`
  return sql`(${value(listed)}, ${keys.id}) ${comparison} ${place}`
}
