import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/**
 * `collecting`: further notices of the same kind may join it. `sending`: it was tried, or is being tried. `skipped`:
 * nobody wants it, or nobody can get it.
 */
export const mailStates = ['collecting', 'sending', 'sent', 'failed', 'skipped'] as const

/** One thing that a mail tells. */
export interface StoredNotice {
  readonly type: string
  readonly data: object
  /** ISO 8601. */
  readonly at: string
}

/**
 * Mails to send, and the ones of the last days. Written in the transaction of what they tell; see mail/queue-mail.ts.
 */
export const mails = pgTable(
  'mails',
  {
    /** Also in its Message-ID, so that mail programs recognise a copy. */
    id: uuid('id').primaryKey(),
    /** Null: for the operators. */
    accountId: uuid('account_id'),
    /** `account:<id>` (its owner), `operators`, `user:<id>` or `address:<address>`. */
    recipient: text('recipient').notNull(),
    kind: text('kind').notNull(),
    /** The first notices, at most `maxNotices`. */
    notices: jsonb('notices').$type<StoredNotice[]>().notNull(),
    /** The number of all notices. */
    count: integer('count').notNull(),
    state: text('state', { enum: mailStates }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** When it is to be tried. */
    dueAt: at('due_at').notNull(),
    /** Until then one replica works on it. */
    leaseEndsAt: at('lease_ends_at'),
    /** Why the last attempt failed: a code or a status, never the mail server's words. */
    failure: text('failure'),
    createdAt: at('created_at').notNull(),
    /** When it was sent, or given up. */
    endedAt: at('ended_at')
  },
  (table) => [
    uniqueIndex('mails_collecting').on(table.recipient, table.kind).where(sql`${table.state} = 'collecting'`),
    index('mails_due').on(table.dueAt).where(sql`${table.endedAt} is null`),
    index('mails_ended').on(table.endedAt).where(sql`${table.endedAt} is not null`),
    index('mails_account').on(table.accountId)
  ]
)

/** Kinds of mails that somebody switched off. */
export const mutedMails = pgTable(
  'muted_mails',
  {
    /** `user:<id>`, or `address:<address>`. */
    recipient: text('recipient').notNull(),
    kind: text('kind').notNull(),
    at: at('at').notNull()
  },
  (table) => [primaryKey({ columns: [table.recipient, table.kind] })]
)

/**
 * The links in mails that switch off a kind without signing in. They are stored as they are, because every mail repeats
 * them; they allow nothing else.
 */
export const unsubscribeLinks = pgTable(
  'unsubscribe_links',
  {
    /** 256 random bits. */
    token: text('token').primaryKey(),
    recipient: text('recipient').notNull(),
    kind: text('kind').notNull()
  },
  (table) => [uniqueIndex('unsubscribe_links_recipient').on(table.recipient, table.kind)]
)
