import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { at } from './columns.ts'
import { users } from './users.ts'

/** The seats of accounts, without the owners' seats. A user has at most one. */
export const members = pgTable(
  'members',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    joinedAt: at('joined_at').notNull()
  },
  (table) => [index('members_account').on(table.accountId, table.joinedAt)]
)

/** Open invitations. Accepting or revoking an invitation removes its row. */
export const invitations = pgTable(
  'invitations',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** In lower case. */
    email: text('email').notNull(),
    /** SHA-256 (hex) of the link's token, which is stored nowhere. */
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: at('created_at').notNull(),
    endsAt: at('ends_at').notNull()
  },
  (table) => [uniqueIndex('invitations_account_email').on(table.accountId, table.email)]
)
