import type { EventType } from '@tollgate/contracts/events/event-types.ts'
import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** What happened that somebody may want to know; see events/record-event.ts. Ids of accounts are no foreign keys. */
export const events = pgTable(
  'events',
  {
    /** Also the id of its webhook messages. */
    id: uuid('id').primaryKey(),
    /** Whom it concerns; null for the operators. */
    accountId: uuid('account_id'),
    type: text('type').$type<EventType>().notNull(),
    /** In the shape of its type; see contracts/events/event-types.ts. */
    data: jsonb('data').$type<object>().notNull(),
    /** An event with the same text is not recorded again; null: every time. */
    once: text('once').unique(),
    at: at('at').notNull()
  },
  (table) => [
    index('events_account').on(table.accountId, table.at, table.id).where(sql`${table.accountId} is not null`),
    index('events_operators').on(table.at, table.id).where(sql`${table.accountId} is null`),
    index('events_at').on(table.at)
  ]
)

/** A stored event. */
export type RecordedEvent = typeof events.$inferSelect
