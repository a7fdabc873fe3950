import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** Every catalog that was ever current. The newest row is the current one. */
export const catalogs = pgTable('catalogs', {
  version: integer('version').primaryKey().generatedAlwaysAsIdentity(),
  sha256: text('sha256').notNull(),
  json: text('json').notNull(),
  createdAt: at('created_at').notNull()
})
