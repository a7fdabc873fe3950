import { announcementLevels } from '@tollgate/contracts/http/status.ts'
import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** What operators tell everybody about the service; see status/announcements.ts. */
export const announcements = pgTable(
  'announcements',
  {
    id: uuid('id').primaryKey(),
    level: text('level', { enum: announcementLevels }).notNull(),
    title: text('title').notNull(),
    /** Markdown. */
    text: text('text').notNull(),
    startsAt: at('starts_at').notNull(),
    /** Null until an operator ends it. */
    endsAt: at('ends_at')
  },
  (table) => [
    index('announcements_starts').on(table.startsAt, table.id),
    check('announcements_times', sql`${table.endsAt} > ${table.startsAt}`)
  ]
)
