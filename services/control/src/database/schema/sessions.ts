import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'
import { users } from './users.ts'

export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 (hex) of the cookie's value, which is stored nowhere. */
    tokenHash: text('token_hash').primaryKey(),
    /** Identifies the session in the user's list of sessions. It does not authenticate. */
    id: uuid('id').notNull().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** A description of the browser that signed in; see auth/describe-browser.ts. */
    browser: text('browser'),
    createdAt: at('created_at').notNull(),
    /** When the user last gave their password, or signed in with a provider. Null in sessions older than this column. */
    confirmedAt: at('confirmed_at'),
    /** When the user last gave a code of their second factor, too. */
    codeConfirmedAt: at('code_confirmed_at'),
    /** Whether it began with a recovery code instead of a code of the second factor. */
    isRecovered: boolean('is_recovered').notNull().default(false),
    /** At most a minute behind the last use. */
    lastUsedAt: at('last_used_at').notNull().defaultNow(),
    /** Each use extends it, up to `endsAt`. The session ends at this time. */
    idleEndsAt: at('idle_ends_at').notNull(),
    endsAt: at('ends_at').notNull()
  },
  (table) => [index('sessions_user').on(table.userId), index('sessions_idle_ends').on(table.idleEndsAt)]
)

/** Browsers in which a user signed in successfully; see callers/known-browser.ts. */
export const knownBrowsers = pgTable(
  'known_browsers',
  {
    /** SHA-256 (hex) of the cookie's value, which is stored nowhere. */
    tokenHash: text('token_hash').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    endsAt: at('ends_at').notNull()
  },
  (table) => [
    primaryKey({ columns: [table.tokenHash, table.userId] }),
    index('known_browsers_user').on(table.userId, table.endsAt),
    index('known_browsers_ends').on(table.endsAt)
  ]
)
