import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** Who changed what; see audit/. Ids of accounts and users are no foreign keys, so that the log outlives both. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: uuid('account_id').notNull(),
    /** Null for the service itself. */
    actorId: uuid('actor_id'),
    action: text('action').notNull(),
    subject: text('subject'),
    detail: jsonb('detail').$type<Record<string, string | number | boolean | null>>().notNull(),
    /** Empty for the service itself. */
    ip: text('ip').notNull(),
    at: at('at').notNull()
  },
  (table) => [
    index('audit_log_account').on(table.accountId, table.at, table.id),
    index('audit_log_at').on(table.at),
    // Filters of the log: each finds rare entries among many others.
    index('audit_log_action').on(table.accountId, table.action, table.at, table.id),
    index('audit_log_actor')
      .on(table.accountId, table.actorId, table.at, table.id)
      .where(sql`${table.actorId} is not null`),
    index('audit_log_subject')
      .on(table.accountId, table.subject, table.at, table.id)
      .where(sql`${table.subject} is not null`)
  ]
)
