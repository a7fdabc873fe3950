import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import type { FailedAttempt } from '@tollgate/contracts/http/requests.ts'
import { type RareCounter, rareCounters, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid
} from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** Counters that are 0 for most requests: null instead, which takes no space. */
const rareColumns = Object.fromEntries(
  rareCounters
    .filter((counter) => counter !== 'marginNanos')
    .map((counter) => [counter, integer(usageCounters[counter])])
) as Record<Exclude<RareCounter, 'marginNanos'>, ReturnType<typeof integer>>

/**
 * The request log: one row for each receipt, see contracts/requests/receipt.ts. The ledger has the charges; this table
 * explains them.
 *
 * It is partitioned by the day (UTC) of `at`; see requests/request-days.ts. Days are dropped, and rows are never
 * deleted. A receipt that outranks the stored one of the same request replaces it. Columns stand in the order of their
 * size, because PostgreSQL fills gaps otherwise.
 */
export const requests = pgTable(
  'requests',
  {
    at: at('at').notNull(),
    /** The id without its `req_`. */
    id: uuid('id').notNull(),
    accountId: uuid('account_id').notNull(),
    costNanos: bigint('cost_nanos', { mode: 'number' }).notNull(),
    heldNanos: bigint('held_nanos', { mode: 'number' }).notNull(),
    /** See `request_rates`. */
    ratesId: bigint('rates_id', { mode: 'bigint' }),
    promptTokens: integer('prompt_tokens').notNull(),
    cachedTokens: integer('cached_tokens').notNull(),
    completionTokens: integer('completion_tokens').notNull(),
    reasoningTokens: integer('reasoning_tokens').notNull(),
    heldTokens: integer('held_tokens').notNull(),
    grantedTokens: integer('granted_tokens'),
    firstByteMs: integer('first_byte_ms'),
    durationMs: integer('duration_ms'),
    count: integer('count').notNull(),
    ...rareColumns,
    /** Its place in `receiptKinds`: a higher one replaces a lower one. */
    rank: smallint('rank').notNull(),
    attempts: smallint('attempts').notNull(),
    status: smallint('status'),
    isStream: boolean('is_stream').notNull(),
    isEstimated: boolean('is_estimated').notNull(),
    clientGone: boolean('client_gone').notNull(),
    keyId: text('key_id').notNull(),
    endpoint: text('endpoint').notNull(),
    model: text('model'),
    answeredModel: text('answered_model'),
    upstream: text('upstream'),
    code: text('code'),
    tier: text('tier'),
    address: text('address'),
    /** null for none. */
    failedAttempts: jsonb('failed_attempts').$type<readonly FailedAttempt[]>(),
    /** The alias by which the client named the model; null for none. */
    askedModel: text('asked_model'),
    /** For which amounts it was refused; null for none. */
    refused: jsonb('refused').$type<RefusedAmounts>(),
    /** What the account paid, minus what the provider bills; null for 0. */
    marginNanos: bigint('margin_nanos', { mode: 'number' })
  },
  (table) => [
    primaryKey({ columns: [table.id, table.at] }),
    index('requests_account').on(table.accountId, table.at),
    index('requests_key').on(table.keyId, table.at),
    index('requests_failed')
      .on(table.accountId, table.at)
      .where(sql`${table.code} is not null or ${table.status} >= 400`),
    index('requests_key_failed')
      .on(table.keyId, table.at)
      .where(sql`${table.code} is not null or ${table.status} >= 400`),
    // Empty unless REQUEST_LOG_ADDRESSES is on. See requests/receipt-copier.ts.
    index('requests_address').on(table.accountId).where(sql`${table.address} is not null`),
    // Rows come in about the order of time, so it is a few kilobytes. It finds the hours of
    // requests/compare-receipts.ts.
    index('requests_at').using('brin', table.at)
  ]
)

/** Prices that requests were charged with, as JSON. Many requests share a row. */
export const requestRates = pgTable('request_rates', {
  /** The first 63 bits of the SHA-256 of `rates`. */
  id: bigint('id', { mode: 'bigint' }).primaryKey(),
  rates: text('rates').notNull()
})

/** One row, which the first stored receipt adds. */
export const requestLog = pgTable(
  'request_log',
  {
    one: boolean('one').primaryKey().default(true),
    /** The admission of the first stored receipt: the log has nothing before. */
    startedAt: at('started_at').notNull(),
    /** Receipts that could not be stored: they cannot be read, or their day is not kept. */
    skipped: bigint('skipped', { mode: 'number' }).notNull().default(0)
  },
  (table) => [check('request_log_one_row', sql`${table.one}`)]
)

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/**
 * Receipts that a collector does not have yet: a row has up to a hundred of them. Empty without an export; see
 * requests/export.
 */
export const requestExports = pgTable('request_exports', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  storedAt: at('stored_at').notNull().defaultNow(),
  /** How many receipts. */
  count: integer('count').notNull(),
  /** See requests/export/pack-receipts.ts. */
  receipts: bytes('receipts').notNull()
})

/** One row: which replica sends receipts. After the lease, any replica may take over. */
export const requestExporter = pgTable(
  'request_exporter',
  {
    one: boolean('one').primaryKey().default(true),
    replica: uuid('replica').notNull(),
    leaseEndsAt: at('lease_ends_at').notNull()
  },
  (table) => [check('request_exporter_one_row', sql`${table.one}`)]
)
