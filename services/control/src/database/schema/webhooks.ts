import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { at } from './columns.ts'
import { events } from './notices.ts'

/**
 * Why an endpoint gets no events: every try of a day failed, it answered 410 Gone, or its owner turned it off.
 */
export const disabledReasons = ['failing', 'gone', 'turned_off'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** Addresses that get events; see webhooks/. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: uuid('id').primaryKey(),
    /** Null: the operators'. */
    accountId: uuid('account_id').references(() => accounts.id),
    url: text('url').notNull(),
    description: text('description').notNull(),
    /** Null: all types. */
    eventTypes: jsonb('event_types').$type<string[]>(),
    /** Encrypted; see secrets/seal.ts. */
    secret: text('secret').notNull(),
    /** After a rotation: the secret before, encrypted, and until when messages are signed with it, too. */
    previousSecret: text('previous_secret'),
    previousSecretUntil: at('previous_secret_until'),
    /** Null: it gets events. */
    disabledReason: text('disabled_reason', { enum: disabledReasons }),
    disabledAt: at('disabled_at'),
    /** When the first of the tries failed that have all failed since; null after a success. */
    failingSince: at('failing_since'),
    /** Whether it took its last message within a few seconds. New endpoints have not yet. */
    isQuick: boolean('is_quick').notNull().default(false),
    createdAt: at('created_at').notNull()
  },
  (table) => [
    index('webhook_endpoints_account').on(table.accountId, table.createdAt),
    check('webhook_endpoints_disabled', sql`(${table.disabledReason} is null) = (${table.disabledAt} is null)`),
    check('webhook_endpoints_previous', sql`(${table.previousSecret} is null) = (${table.previousSecretUntil} is null)`)
  ]
)

/** An event on its way to an endpoint. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    endpointId: uuid('endpoint_id')
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: 'cascade' }),
    /** The message has the id of the event, at every try. */
    eventId: uuid('event_id')
      .notNull()
      .references(() => events.id, { onDelete: 'cascade' }),
    status: text('status', { enum: ['pending', 'delivered', 'failed'] }).notNull(),
    /**
     * When to try next; null if it is not pending. A replica that tries moves it ahead: if that replica dies, another
     * one tries then.
     */
    dueAt: at('due_at'),
    /** Failed tries of the schedule. */
    retries: integer('retries').notNull().default(0),
    /** Whether it is tried once, without a schedule: a test, or a delivery that somebody repeats by hand. */
    isSingle: boolean('is_single').notNull().default(false),
    createdAt: at('created_at').notNull()
  },
  (table) => [
    uniqueIndex('webhook_deliveries_event').on(table.eventId, table.endpointId),
    index('webhook_deliveries_endpoint').on(table.endpointId, table.createdAt, table.id),
    index('webhook_deliveries_waiting').on(table.endpointId, table.dueAt).where(sql`${table.dueAt} is not null`),
    index('webhook_deliveries_due').on(table.dueAt).where(sql`${table.dueAt} is not null`),
    index('webhook_deliveries_created').on(table.createdAt),
    check('webhook_deliveries_pending', sql`(${table.status} = 'pending') = (${table.dueAt} is not null)`)
  ]
)

/** The tries of deliveries. Rows are only added. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    deliveryId: uuid('delivery_id')
      .notNull()
      .references(() => webhookDeliveries.id, { onDelete: 'cascade' }),
    at: at('at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** The status of the answer; null without one. */
    status: integer('status'),
    /** Why it failed, in words; null for a success. Never has text of the receiver. */
    error: text('error')
  },
  (table) => [index('webhook_attempts_delivery').on(table.deliveryId, table.id)]
)
