import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import { bigint, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** How many requests were refused in an hour (UTC), by key and code of the error; see refusals/note-refusals.ts. */
export const refusals = pgTable(
  'refusals',
  {
    accountId: uuid('account_id').notNull(),
    hour: at('hour').notNull(),
    keyId: text('key_id').notNull(),
    code: text('code').notNull(),
    count: bigint('count', { mode: 'number' }).notNull()
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hour, table.keyId, table.code] }),
    index('refusals_hour').on(table.hour)
  ]
)

/** For which codes a key refuses requests now: from the first refusal until refusals/end-refusals.ts finds that they ended. */
export const openRefusals = pgTable(
  'open_refusals',
  {
    accountId: uuid('account_id').notNull(),
    keyId: text('key_id').notNull(),
    code: text('code').notNull(),
    /** The first and the last refusal. */
    since: at('since').notNull(),
    lastAt: at('last_at').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
    /** Of the last receipt. */
    model: text('model'),
    /** Of the smallest request; null if it was refused for no amount. */
    smallest: jsonb('smallest').$type<RefusedAmounts>(),
    /** When requests were found to be served again; null: not yet. A row that ended stays until that is told. */
    endedAt: at('ended_at'),
    /** When the account was last told; null: never. */
    toldAt: at('told_at')
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.keyId, table.code] }),
    index('open_refusals_last').on(table.lastAt)
  ]
)
