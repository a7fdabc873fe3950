import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { at, version } from './columns.ts'
import { users } from './users.ts'

export const keys = pgTable(
  'keys',
  {
    id: text('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** The user who created it; null after that user is deleted. */
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'set null' }),
    label: text('label').notNull(),
    scope: text('scope', { enum: ['inference', 'management'] }).notNull(),
    /** First eight characters of the secret, shown to people. */
    prefix: text('prefix').notNull(),
    /** SHA-256 (hex) of the secret. */
    digest: text('digest').notNull().unique(),
    status: text('status', { enum: ['active', 'revoked'] }).notNull(),
    /** Whether its requests are refused until somebody resumes it. */
    paused: boolean('paused').notNull().default(false),
    /** After a rotation: the digest of the previous secret, and when that secret ends. */
    previousDigest: text('previous_digest'),
    previousUntil: at('previous_until'),
    expiresAt: at('expires_at'),
    models: jsonb('models').$type<string[]>(),
    /** IP addresses and ranges from which it works; null for everywhere. */
    addresses: jsonb('addresses').$type<string[]>(),
    /** The key's maximum spend in a calendar month, nanodollars. */
    monthlyBudgetNanos: bigint('monthly_budget_nanos', { mode: 'number' }),
    /** Further budgets of the key; see budgets/stored-budgets.ts. */
    budgets: jsonb('budgets').$type<WindowBudget[]>().notNull().default([]),
    /** The model that serves a request which a budget refuses. */
    exhaustedModel: text('exhausted_model'),
    /** Percent of the budget at which the owner is told; null: those of the account. See notice_settings. */
    thresholds: integer('thresholds').array(),
    /** The key's own limits, below the plan's; null: only the plan's limit applies. */
    requestsPerMinute: integer('requests_per_minute'),
    tokensPerMinute: integer('tokens_per_minute'),
    concurrentRequests: integer('concurrent_requests'),
    /**
     * For a playground's token: the session that it belongs to. Null for a key. See playground/playground-routes.ts.
     */
    sessionId: uuid('session_id'),
    metadata: jsonb('metadata').$type<Record<string, string>>().notNull().default({}),
    /** `aNN` of the account, `kNN` of the digest. */
    accountShard: text('account_shard').notNull(),
    secretShard: text('secret_shard').notNull(),
    /** Whether open requests end, too, when their secret stopped working by the last revocation or rotation. */
    cutStreams: boolean('cut_streams').notNull().default(false),
    version: version(),
    createdAt: at('created_at').notNull(),
    revokedAt: at('revoked_at'),
    lastUsedAt: at('last_used_at')
  },
  (table) => [
    index('keys_account').on(table.accountId, table.createdAt, table.id),
    index('keys_created_by').on(table.createdBy),
    index('keys_account_shard_version').on(table.accountShard, table.version),
    index('keys_secret_shard_version').on(table.secretShard, table.version),
    index('keys_revoked').on(table.revokedAt).where(sql`${table.revokedAt} is not null`),
    index('keys_expires').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
    index('keys_previous_until').on(table.previousUntil).where(sql`${table.previousUntil} is not null`),
    index('keys_budgets').on(table.accountId).where(sql`${table.budgets} <> '[]'`),
    index('keys_tokens').on(table.expiresAt).where(sql`${table.sessionId} is not null`),
    index('keys_metadata').using('gin', sql`${table.metadata} jsonb_path_ops`),
    check('keys_status', sql`(${table.status} = 'revoked') = (${table.revokedAt} is not null)`),
    check('keys_previous', sql`(${table.previousDigest} is null) = (${table.previousUntil} is null)`)
  ]
)

/**
 * Secrets that a rotation replaced. Their pointers stay in Redis for a while and point to the key, which has another
 * secret now. Rows are never changed.
 */
export const formerSecrets = pgTable(
  'former_secrets',
  {
    /** SHA-256 (hex) of the secret. */
    digest: text('digest').primaryKey(),
    keyId: text('key_id')
      .notNull()
      .references(() => keys.id),
    accountId: uuid('account_id').notNull(),
    scope: text('scope', { enum: ['inference', 'management'] }).notNull(),
    /** `kNN` of the digest. */
    secretShard: text('secret_shard').notNull(),
    version: version(),
    /** The latest end of its grace. */
    diesAt: at('dies_at').notNull()
  },
  (table) => [
    index('former_secrets_shard_version').on(table.secretShard, table.version),
    index('former_secrets_key').on(table.keyId, table.version),
    index('former_secrets_dies').on(table.diesAt)
  ]
)

/** Who created keys that were deleted from this database: budgets of a member count what these keys spent. */
export const formerKeys = pgTable(
  'former_keys',
  {
    id: text('id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    createdBy: uuid('created_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' })
  },
  (table) => [index('former_keys_account').on(table.accountId), index('former_keys_created_by').on(table.createdBy)]
)

/**
 * The key that a request with an `Idempotency-Key` created. Also calls about seats that were answered with
 * `change_pending`: their rows have the caller's user id as `account_id`, and the team's account as `key_id`; see
 * team/seat-routes.ts.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: uuid('account_id').notNull(),
    /** SHA-256 (hex) of the operation and the value that the caller sent; see keys/idempotency.ts. */
    hash: text('hash').notNull(),
    keyId: text('key_id').notNull(),
    endsAt: at('ends_at').notNull()
  },
  (table) => [primaryKey({ columns: [table.accountId, table.hash] }), index('idempotency_keys_ends').on(table.endsAt)]
)
