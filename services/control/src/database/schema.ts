import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  text,
  timestamp,
  uuid
} from 'drizzle-orm/pg-core'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })
/** The change number that last touched a row; see projection/. */
const version = () => bigint('version', { mode: 'number' }).notNull()

/** What we know of a user of the identity provider. The provider is the truth for all of it. */
export const users = pgTable('users', {
  id: uuid('id').primaryKey(),
  email: text('email').notNull(),
  name: text('name').notNull(),
  /** `app_metadata.plan` as last seen. */
  plan: text('plan').notNull(),
  syncedAt: at('synced_at').notNull()
})

export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 (hex) of the cookie's value, which is stored nowhere. */
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: at('created_at').notNull(),
    /** Slides forward with use, up to `endsAt`: a session is over once this has passed. */
    idleEndsAt: at('idle_ends_at').notNull(),
    endsAt: at('ends_at').notNull()
  },
  (table) => [index('sessions_user').on(table.userId), index('sessions_idle_ends').on(table.idleEndsAt)]
)

/** The unit that has a plan, keys and a bill. A personal account has the id of its user. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id').notNull(),
    plan: text('plan').notNull(),
    status: text('status', { enum: ['active', 'suspended'] }).notNull(),
    /** `aNN` */
    shard: text('shard').notNull(),
    version: version(),
    createdAt: at('created_at').notNull()
  },
  (table) => [
    index('accounts_shard_version').on(table.shard, table.version),
    check('accounts_status', sql`${table.status} in ('active', 'suspended')`)
  ]
)

export const keys = pgTable(
  'keys',
  {
    id: text('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Who made it; null once that user is deleted. */
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'set null' }),
    label: text('label').notNull(),
    scope: text('scope', { enum: ['inference', 'management'] }).notNull(),
    /** First eight characters of the secret, for people. */
    prefix: text('prefix').notNull(),
    /** SHA-256 (hex) of the secret. */
    digest: text('digest').notNull().unique(),
    status: text('status', { enum: ['active', 'revoked'] }).notNull(),
    expiresAt: at('expires_at'),
    models: jsonb('models').$type<string[]>(),
    /** `aNN` of the account, `kNN` of the digest. */
    accountShard: text('account_shard').notNull(),
    secretShard: text('secret_shard').notNull(),
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
    check('keys_status', sql`(${table.status} = 'revoked') = (${table.revokedAt} is not null)`)
  ]
)

/** Numbers every change to keys and accounts, in commit order; see projection/change.ts. */
export const changes = pgSequence('changes', { startWith: 1 })

/** The last change of each of the 512 shards: what Redis is compared with. A row appears with the first change. */
export const shards = pgTable('shards', {
  name: text('name').primaryKey(),
  version: version()
})

/** One row. The epoch is raised when Redis is found ahead of this database, which was restored then. */
export const projection = pgTable(
  'projection',
  {
    one: boolean('one').primaryKey().default(true),
    epoch: integer('epoch').notNull().default(0)
  },
  (table) => [check('projection_one_row', sql`${table.one}`)]
)

/** Every catalog that was ever in force; the newest is. */
export const catalogs = pgTable('catalogs', {
  version: integer('version').primaryKey().generatedAlwaysAsIdentity(),
  sha256: text('sha256').notNull(),
  json: text('json').notNull(),
  createdAt: at('created_at').notNull()
})
