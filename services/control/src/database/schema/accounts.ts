import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { at, version } from './columns.ts'
import { users } from './users.ts'

/**
 * Why the gateway refuses the keys of an account: the identity provider suspended it (`identity`), its owner has a seat
 * in a team (`team`), its owner was deleted (`deleted`), an operator suspended it (`operator`), or it has waited for an
 * operator's approval since its creation (`approval`: see accounts/suspensions.ts).
 */
export const suspensionReasons = ['identity', 'team', 'deleted', 'operator', 'approval'] as const
export type SuspensionReason = (typeof suspensionReasons)[number]

/** Limits, and a price group, that an operator set instead of the plan's. A missing one is the plan's. */
export interface OverrideLimits {
  readonly monthlyNanos?: number
  readonly requestNanos?: number
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  readonly concurrentRequests?: number
  readonly keyQuota?: number
  readonly priceGroup?: string
}

/** An account has a plan, keys and a bill. A personal account has the id of its user. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id').notNull(),
    /** The plan that payments or the identity provider give the account. */
    plan: text('plan').notNull(),
    /** The plan that an operator set instead, and when it ends; null: no end. See accounts/override-account.ts. */
    overridePlan: text('override_plan'),
    overridePlanEndsAt: at('override_plan_ends_at'),
    /** The plan in force. */
    planInForce: text('plan_in_force').notNull().generatedAlwaysAs(sql`coalesce(override_plan, plan)`),
    /** Limits that an operator set instead of the plan's, and when they end; null: no end. */
    overrideLimits: jsonb('override_limits').$type<OverrideLimits>(),
    overrideLimitsEndAt: at('override_limits_end_at'),
    /** Every reason for which the account is suspended now, each once. */
    suspensions: text('suspensions', { enum: suspensionReasons }).array().notNull().default(sql`'{}'`),
    /** Derived from the reasons alone. */
    status: text('status', { enum: ['active', 'suspended'] })
      .notNull()
      .generatedAlwaysAs(sql`case when suspensions = '{}' then 'active' else 'suspended' end`),
    /** The owner's own monthly cap, below the plan's; nanodollars. */
    ownCapNanos: bigint('own_cap_nanos', { mode: 'number' }),
    /** Further budgets of the account and its members; see budgets/stored-budgets.ts. */
    budgets: jsonb('budgets').$type<WindowBudget[]>().notNull().default([]),
    /** Status of the account's subscription when billing last read it from the payment provider; null without one. */
    subscriptionStatus: text('subscription_status'),
    /** When the account's changes of keys no longer count; see accounts/key-change-limit.ts. */
    keyChangesUntil: at('key_changes_until'),
    /** When the owner dismissed the list of first steps; see accounts/setup-routes.ts. */
    setupDismissedAt: at('setup_dismissed_at'),
    /**
     * A keyed hash of the mailbox of the owner's first address; see accounts/free-budget.ts. Null: not yet, or no
     * longer.
     */
    mailbox: text('mailbox'),
    /** Of a deleted account: its last month (yyyymm), and what it spent in it; nanodollars. */
    closedMonth: integer('closed_month'),
    closedNanos: bigint('closed_nanos', { mode: 'number' }),
    /** `aNN` */
    shard: text('shard').notNull(),
    version: version(),
    createdAt: at('created_at').notNull()
  },
  (table) => [
    index('accounts_shard_version').on(table.shard, table.version),
    index('accounts_mailbox').on(table.mailbox).where(sql`${table.mailbox} is not null`),
    index('accounts_override_ends')
      .on(sql`least(${table.overridePlanEndsAt}, ${table.overrideLimitsEndAt})`)
      .where(sql`${table.overridePlanEndsAt} is not null or ${table.overrideLimitsEndAt} is not null`),
    index('accounts_waiting').on(table.createdAt).where(sql`'approval' = any (${table.suspensions})`),
    check(
      'accounts_suspensions',
      sql`${table.suspensions} <@ array['identity', 'team', 'deleted', 'operator', 'approval']`
    ),
    check('accounts_own_cap', sql`${table.ownCapNanos} >= 0`)
  ]
)

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
