import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** Every catalog that was ever in force. The newest row is in force. */
export const catalogs = pgTable('catalogs', {
  version: integer('version').primaryKey().generatedAlwaysAsIdentity(),
  sha256: text('sha256').notNull(),
  /** Null after its content was pruned. The digest stays, so that control knows it was published before. */
  json: text('json'),
  /** The text of the file; null after pruning. */
  yaml: text('yaml'),
  /** The operator who applied it; null for one that a replica published from its file. */
  operatorId: uuid('operator_id'),
  /** Why the operator applied it. */
  reason: text('reason'),
  createdAt: at('created_at').notNull()
})
