import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at, version } from './columns.ts'

/**
 * Why the gateway refuses the keys of an account: the identity provider suspended it (`identity`), its owner has a seat in a
 * team (`team`), or its owner was deleted (`deleted`).
 */
export const suspensionReasons = ['identity', 'team', 'deleted'] as const
export type SuspensionReason = (typeof suspensionReasons)[number]

/** An account has a plan, keys and a bill. A personal account has the id of its user. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id').notNull(),
    plan: text('plan').notNull(),
    /** Every reason for which the account is suspended now, each once. */
    suspensions: text('suspensions', { enum: suspensionReasons }).array().notNull().default(sql`'{}'`),
    /** Derived from the reasons alone. */
    status: text('status', { enum: ['active', 'suspended'] })
      .notNull()
      .generatedAlwaysAs(sql`case when suspensions = '{}' then 'active' else 'suspended' end`),
    /** The owner's own monthly cap, below the plan's; nanodollars. */
    ownCapNanos: bigint('own_cap_nanos', { mode: 'number' }),
    /** Status of the account's subscription when billing last read it from the payment provider; null without one. */
    subscriptionStatus: text('subscription_status'),
    /** When the account's changes of keys no longer count; see accounts/key-change-limit.ts. */
    keyChangesUntil: at('key_changes_until'),
    /** `aNN` */
    shard: text('shard').notNull(),
    version: version(),
    createdAt: at('created_at').notNull()
  },
  (table) => [
    index('accounts_shard_version').on(table.shard, table.version),
    check('accounts_suspensions', sql`${table.suspensions} <@ array['identity', 'team', 'deleted']`),
    check('accounts_own_cap', sql`${table.ownCapNanos} >= 0`)
  ]
)
