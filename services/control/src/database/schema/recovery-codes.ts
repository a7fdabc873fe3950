import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'
import { users } from './users.ts'

/** Codes that replace the second factor once each; see auth/recovery-codes.ts. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 (hex) of user and code. The code itself is stored nowhere. */
    codeHash: text('code_hash').notNull(),
    createdAt: at('created_at').notNull(),
    /** Null: it still works. */
    usedAt: at('used_at')
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })]
)
