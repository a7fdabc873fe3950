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

/**
 * What operators did, and why. Ids are no foreign keys, so that the log outlives accounts and users. Rows are never
 * changed.
 */
export const operatorActs = pgTable(
  'operator_acts',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The operator. */
    actorId: uuid('actor_id').notNull(),
    /** The account that it touched; null for acts about the whole system. */
    accountId: uuid('account_id'),
    action: text('action').notNull(),
    subject: text('subject'),
    reason: text('reason').notNull(),
    detail: jsonb('detail').$type<Record<string, string | number | boolean | null>>().notNull(),
    ip: text('ip').notNull(),
    at: at('at').notNull()
  },
  (table) => [
    index('operator_acts_at').on(table.at, table.id),
    index('operator_acts_account').on(table.accountId, table.at, table.id)
  ]
)

/** Corrections of usage by operators. They count towards the monthly cap. Rows are only added. */
export const adjustments = pgTable(
  'adjustments',
  {
    /** The caller chose it, so that a repeated call changes nothing more. */
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    /** The first moment of the month, UTC. */
    month: at('month').notNull(),
    /** Above zero: charged. Below zero: credited. */
    nanos: bigint('nanos', { mode: 'number' }).notNull(),
    reason: text('reason').notNull(),
    actorId: uuid('actor_id').notNull(),
    at: at('at').notNull()
  },
  (table) => [index('adjustments_account').on(table.accountId, table.month)]
)

/**
 * Acts that wait until a second operator confirms or rejects them; see admin/pending-acts.ts. A decided one stays until
 * it ends.
 */
export const pendingActs = pgTable(
  'pending_acts',
  {
    id: uuid('id').primaryKey(),
    action: text('action', { enum: ['account.adjusted', 'account.overridden'] }).notNull(),
    accountId: uuid('account_id').notNull(),
    /** The body of the request. */
    body: jsonb('body').$type<object>().notNull(),
    /** What the operators' log keeps of it. */
    detail: jsonb('detail').$type<Record<string, string | number | boolean | null>>().notNull(),
    reason: text('reason').notNull(),
    /** The operator who asked. */
    askedBy: uuid('asked_by').notNull(),
    askedAt: at('asked_at').notNull(),
    /** From then on nobody can confirm it. */
    endsAt: at('ends_at').notNull(),
    /** Null until it is decided. */
    outcome: text('outcome', { enum: ['confirmed', 'rejected'] }),
    decidedBy: uuid('decided_by'),
    decidedAt: at('decided_at')
  },
  (table) => [index('pending_acts_ends').on(table.endsAt)]
)
