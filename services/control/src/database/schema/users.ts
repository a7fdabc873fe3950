import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { at, sweepTable } from './columns.ts'

/**
 * A copy of the identity provider's users. The provider decides the name, the address and the plan. Only users who
 * proved their address and password together have a row: see users/proof.ts.
 */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull(),
    /**
     * The address that the user proved together with a password, in lower case. Null after the provider reports another
     * address: then the user cannot sign in until that address is proved; see users/proof.ts.
     */
    provedEmail: text('proved_email'),
    name: text('name').notNull(),
    /** The provider's `app_metadata.plan` when last read; null without one. */
    plan: text('plan'),
    /** Whether the provider's `app_metadata.role` named an operator when last read. */
    isOperator: boolean('is_operator').notNull().default(false),
    /** What the operator may do, separated by commas; null: everything. See identity/identity.ts. */
    operatorRoles: text('operator_roles'),
    /** When these values were last read from the provider. */
    syncedAt: at('synced_at').notNull(),
    /** When a replica last asked the provider, or began to ask; see users/sweep-users.ts. */
    checkedAt: at('checked_at').notNull().defaultNow(),
    /** By the database's clock: a password that was checked before this time opens no session. */
    passwordSetAt: timestamp('password_set_at', { withTimezone: true, mode: 'string', precision: 6 }),
    /** False for a user who signs in with a provider such as GitHub, and has set no password since. */
    hasPassword: boolean('has_password').notNull().default(true),
    /** Set by the first step of a deletion, so that the rest can be completed later; see users/delete-user.ts. */
    deletionStartedAt: at('deletion_started_at'),
    /** Set by the last step of a deletion. Name and address are empty then. */
    deletedAt: at('deleted_at'),
    /** From this time, ask the provider again: it reported a change; see users/refresh-user.ts. */
    dueAt: at('due_at'),
    /** How many changes the provider reported. A report during a read causes another read. */
    dueMarks: integer('due_marks').notNull().default(0)
  },
  (table) => [
    index('users_due').on(table.dueAt).where(sql`${table.dueAt} is not null`),
    index('users_synced').on(table.syncedAt, table.id).where(sql`${table.deletedAt} is null`),
    index('users_deletions')
      .on(table.deletionStartedAt)
      .where(sql`${table.deletionStartedAt} is not null and ${table.deletedAt} is null`)
  ]
)

/**
 * Users who registered, but have not proved their address and password together. They cannot sign in yet; see
 * users/proof.ts.
 */
export const unprovedUsers = pgTable(
  'unproved_users',
  {
    userId: uuid('user_id').primaryKey(),
    /** In lower case. */
    email: text('email').notNull(),
    /** Whether the provider considers the address confirmed. Then it mails no further confirmation. */
    isConfirmed: boolean('is_confirmed').notNull(),
    /** SHA-256 (hex) of the token of the user's last confirmation link that the provider accepted. */
    linkHash: text('link_hash').unique(),
    /** When the provider accepted that link; without a link, when this row was written. */
    at: at('at').notNull()
  },
  (table) => [index('unproved_users_email').on(table.email), index('unproved_users_at').on(table.at)]
)

/**
 * Links of "forgot password" mails that the provider accepted, and thereby used up. A row stays until the new password
 * is set: after a weak password or a failure of the provider, the user can try the same link again.
 */
export const passwordResets = pgTable(
  'password_resets',
  {
    /** SHA-256 (hex) of the link's token. */
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id').notNull(),
    /** The address that the link was mailed to, in lower case. Null in rows that are older than this column. */
    email: text('email'),
    endsAt: at('ends_at').notNull()
  },
  (table) => [index('password_resets_user').on(table.userId), index('password_resets_ends').on(table.endsAt)]
)

/** The intended `app_metadata.plan` of a user; see users/plan-writer.ts. */
export const planWrites = pgTable(
  'plan_writes',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id),
    intended: text('intended').notNull(),
    /** Values that we may have written to the provider. Any other value was set there by hand. */
    ours: jsonb('ours').$type<string[]>().notNull(),
    /** Increases with every new intention. */
    revision: integer('revision').notNull(),
    /** Whether the plan writer must still write it, or verify that it was written. */
    pending: boolean('pending').notNull(),
    /** Until this time one plan writer works on the row, by the database's clock. */
    leaseEndsAt: timestamp('lease_ends_at', { withTimezone: true, mode: 'string' })
  },
  (table) => [index('plan_writes_pending').on(table.userId).where(sql`${table.pending}`)]
)

/** Comparison of all users with the identity provider; see users/sweep-users.ts. */
export const sweeps = sweepTable('sweeps')

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
    /** A description of the browser that signed in; see auth/sign-in.ts. */
    browser: text('browser'),
    createdAt: at('created_at').notNull(),
    /**
     * When the user last gave their password, or signed in with a provider. Null in sessions older than this column.
     */
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
