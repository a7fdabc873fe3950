import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import type { EventType } from '@tollgate/contracts/events/event-types.ts'
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** What happened that somebody may want to know; see events/record-event.ts. Ids of accounts are no foreign keys. */
export const events = pgTable(
  'events',
  {
    /** Also the id of its webhook messages. */
    id: uuid('id').primaryKey(),
    /** Whom it concerns; null for the operators. */
    accountId: uuid('account_id'),
    type: text('type').$type<EventType>().notNull(),
    /** In the shape of its type; see contracts/events/event-types.ts. */
    data: jsonb('data').$type<object>().notNull(),
    /** An event with the same text is not recorded again; null: every time. */
    once: text('once').unique(),
    at: at('at').notNull()
  },
  (table) => [
    index('events_account').on(table.accountId, table.at, table.id).where(sql`${table.accountId} is not null`),
    index('events_operators').on(table.at, table.id).where(sql`${table.accountId} is null`),
    index('events_at').on(table.at)
  ]
)

/** A stored event. */
export type RecordedEvent = typeof events.$inferSelect

/**
 * What a check of spend looks at: budgets of the account and its keys (`budget`), the last hour (`hour`), or the rest
 * of the month (`forecast`).
 */
export const spendCheckKinds = ['budget', 'hour', 'forecast'] as const
export type SpendCheckKind = (typeof spendCheckKinds)[number]

/** Accounts and keys whose spend has changed, until it is checked; see notices/spend-checks.ts. */
export const spendChecks = pgTable(
  'spend_checks',
  {
    accountId: uuid('account_id').notNull(),
    kind: text('kind', { enum: spendCheckKinds }).notNull(),
    /** Empty: the account itself. */
    keyId: text('key_id').notNull().default(''),
    /** The check covers every change before this time. By the database's clock. */
    dueAt: at('due_at').notNull(),
    /** Until then one replica works on it. */
    leaseEndsAt: at('lease_ends_at')
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.kind, table.keyId] }),
    index('spend_checks_due').on(table.dueAt)
  ]
)

/** The last notice of each monthly budget: which threshold it was about; see notices/decide-threshold.ts. */
export const toldBudgets = pgTable(
  'told_budgets',
  {
    accountId: uuid('account_id').notNull(),
    /** Empty: the account's own budget. */
    keyId: text('key_id').notNull().default(''),
    /** The first moment of the month, UTC. */
    month: at('month').notNull(),
    percent: integer('percent').notNull(),
    spentNanos: bigint('spent_nanos', { mode: 'number' }).notNull()
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.keyId, table.month] }),
    index('told_budgets_month').on(table.month)
  ]
)

/**
 * The last notice of each budget with a window: which threshold it was about; see notices/window-budgets.ts. When a
 * budget is removed, budgets/count-budgets.ts deletes its row.
 */
export const toldWindows = pgTable(
  'told_windows',
  {
    /** Of the budget. */
    id: bigint('id', { mode: 'number' }).primaryKey(),
    accountId: uuid('account_id').notNull(),
    /** Its number; see contracts/records/budget-windows.ts. Nothing was told of later ones. */
    window: integer('window').notNull(),
    percent: integer('percent').notNull(),
    spentNanos: bigint('spent_nanos', { mode: 'number' }).notNull()
  },
  (table) => [index('told_windows_account').on(table.accountId)]
)

/** How far sweeps have looked ahead; see notices/sweep-keys.ts. */
export const noticeSweeps = pgTable('notice_sweeps', {
  name: text('name').primaryKey(),
  /** Everything before this time was looked at. */
  until: at('until').notNull(),
  /** Of that moment itself, everything up to this id. */
  untilId: text('until_id').notNull().default('')
})

/** Upstreams that gateways avoid now; see notices/watch-upstreams.ts. */
export const failingUpstreams = pgTable('failing_upstreams', {
  upstream: text('upstream').primaryKey(),
  since: at('since').notNull(),
  /** When it was last found failing. */
  seenAt: at('seen_at').notNull(),
  isTold: boolean('is_told').notNull().default(false)
})

/** Requests that another upstream answered, by minute, until their event is recorded; see notices/failovers.ts. */
export const failovers = pgTable(
  'failovers',
  {
    minute: at('minute').notNull(),
    model: text('model').notNull(),
    fromUpstream: text('from_upstream').notNull(),
    toUpstream: text('to_upstream').notNull(),
    requests: integer('requests').notNull()
  },
  (table) => [primaryKey({ columns: [table.minute, table.model, table.fromUpstream, table.toUpstream] })]
)

/** Thresholds that the owner of an account chose, in percent; null: the default ones. */
export const noticeSettings = pgTable('notice_settings', {
  accountId: uuid('account_id').primaryKey(),
  thresholds: integer('thresholds').array(),
  /** Of keys without thresholds of their own. */
  keyThresholds: integer('key_thresholds').array()
})

/** Up to which event somebody has seen the events of an account, or of the operators. */
export const seenEvents = pgTable(
  'seen_events',
  {
    userId: uuid('user_id').notNull(),
    /** The account's id, or `operators`. */
    feed: text('feed').notNull(),
    at: at('at').notNull(),
    eventId: uuid('event_id').notNull()
  },
  (table) => [primaryKey({ columns: [table.userId, table.feed] })]
)

/** How many requests were refused in an hour (UTC), by key and code of the error; see refusals/refusals.ts. */
export const refusals = pgTable(
  'refusals',
  {
    accountId: uuid('account_id').notNull(),
    hour: at('hour').notNull(),
    keyId: text('key_id').notNull(),
    code: text('code').notNull(),
    count: bigint('count', { mode: 'number' }).notNull()
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hour, table.keyId, table.code] }),
    index('refusals_hour').on(table.hour)
  ]
)

/**
 * For which codes a key refuses requests now: from the first refusal until refusals/end-refusals.ts finds that they
 * ended.
 */
export const openRefusals = pgTable(
  'open_refusals',
  {
    accountId: uuid('account_id').notNull(),
    keyId: text('key_id').notNull(),
    code: text('code').notNull(),
    /** The first and the last refusal. */
    since: at('since').notNull(),
    lastAt: at('last_at').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
    /** Of the last receipt. */
    model: text('model'),
    /** Of the smallest request; null if it was refused for no amount. */
    smallest: jsonb('smallest').$type<RefusedAmounts>(),
    /** When requests were found to be served again; null: not yet. A row that ended stays until that is told. */
    endedAt: at('ended_at'),
    /** When the account was last told; null: never. */
    toldAt: at('told_at')
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.keyId, table.code] }),
    index('open_refusals_last').on(table.lastAt)
  ]
)
