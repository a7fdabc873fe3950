import { forEachCounter, type UsageCounter, usageCounters } from '@tollgate/contracts/usage/usage-counters.ts'
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
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid
} from 'drizzle-orm/pg-core'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })
/** The change number that last touched a row; see projection/. */
const version = () => bigint('version', { mode: 'number' }).notNull()

/**
 * What we know of a user of the identity provider. The provider is the truth for the name, the address and the plan.
 * Only users who proved their address and password have a row: see auth/proof.ts.
 */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull(),
    /**
     * The address that was proved together with a password, in lower case. Null once the provider told another address: then
     * nobody signs in until that one is proved; see auth/proof.ts.
     */
    provedEmail: text('proved_email'),
    name: text('name').notNull(),
    /** `app_metadata.plan` as last seen; null if there was none. */
    plan: text('plan'),
    /** When the provider last told what is written here. */
    syncedAt: at('synced_at').notNull(),
    /** When it was last asked, or is being asked by whoever set this; see auth/reconcile/. */
    checkedAt: at('checked_at').notNull().defaultNow(),
    /** By the clock of the database: a password that was checked before this opens no session. */
    passwordSetAt: timestamp('password_set_at', { withTimezone: true, mode: 'string', precision: 6 }),
    /** Set first when a user is deleted, so that whatever is left to do can be found; see auth/delete-user.ts. */
    deletionStartedAt: at('deletion_started_at'),
    /** Set last. Name and address are empty then. */
    deletedAt: at('deleted_at'),
    /** From when on the provider is to be asked again, because it reported a change; see auth/reconcile/due-users.ts. */
    dueAt: at('due_at'),
    /** How often it reported one: what is reported while the user is read holds for the next time. */
    dueMarks: integer('due_marks').notNull().default(0)
  },
  (table) => [
    index('users_due').on(table.dueAt).where(sql`${table.dueAt} is not null`),
    index('users_synced').on(table.syncedAt, table.id).where(sql`${table.deletedAt} is null`),
    index('users_deletions')
      .on(table.deletionStartedAt)
      .where(sql`${table.deletionStartedAt} is not null and ${table.deletedAt} is null`)
  ]
)

/**
 * Links of "forgot password" mails that the provider has accepted, and so used up, until the new password is set: with a
 * password that is too weak, or a provider that fails half-way, the same link can be tried again.
 */
export const passwordResets = pgTable(
  'password_resets',
  {
    /** SHA-256 (hex) of the link's token. */
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id').notNull(),
    /** The address that the link was mailed to, in lower case. Null in rows of before there was this column. */
    email: text('email'),
    endsAt: at('ends_at').notNull()
  },
  (table) => [index('password_resets_user').on(table.userId), index('password_resets_ends').on(table.endsAt)]
)

/**
 * Users who registered, but have not proved their address together with a password: nobody signs in as them yet; see
 * auth/proof.ts.
 */
export const unprovedUsers = pgTable(
  'unproved_users',
  {
    userId: uuid('user_id').primaryKey(),
    /** In lower case. */
    email: text('email').notNull(),
    /** Whether the provider considers the address confirmed, and so mails no confirmation any more. */
    isConfirmed: boolean('is_confirmed').notNull(),
    /** SHA-256 (hex) of the token of the last confirmation link that the provider accepted for them. */
    linkHash: text('link_hash').unique(),
    /** When that was; before, when this row was written. */
    at: at('at').notNull()
  },
  (table) => [index('unproved_users_email').on(table.email), index('unproved_users_at').on(table.at)]
)

/** Browsers from which somebody signed in successfully; see auth/known-browser.ts. */
export const knownBrowsers = pgTable(
  'known_browsers',
  {
    /** SHA-256 (hex) of the cookie's value, which is stored nowhere. */
    tokenHash: text('token_hash').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    endsAt: at('ends_at').notNull()
  },
  (table) => [
    primaryKey({ columns: [table.tokenHash, table.userId] }),
    index('known_browsers_user').on(table.userId, table.endsAt),
    index('known_browsers_ends').on(table.endsAt)
  ]
)

/** One row: where a comparison with somebody else's list stands, and who works on it; see reconcile/. */
const sweepTable = <Name extends string>(name: Name) =>
  pgTable(
    name,
    {
      one: boolean('one').primaryKey().default(true),
      startedAt: at('started_at').notNull(),
      /** The next page of the list; null once all have been read. */
      page: integer('page'),
      finishedAt: at('finished_at'),
      /** Whoever works on it keeps moving this; once it has passed, anybody may go on. */
      leaseEndsAt: at('lease_ends_at').notNull()
    },
    (table) => [check(`${name}_one_row`, sql`${table.one}`)]
  )

/** All users with the identity provider; see auth/reconcile/. */
export const sweeps = sweepTable('sweeps')
/** All subscriptions with the payment provider; see billing/sweep/. */
export const billingSweeps = sweepTable('billing_sweeps')

export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 (hex) of the cookie's value, which is stored nowhere. */
    tokenHash: text('token_hash').primaryKey(),
    /** Names the session to its user. It opens nothing. */
    id: uuid('id').notNull().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The browser that signed in, in our words; see auth/describe-browser.ts. */
    browser: text('browser'),
    createdAt: at('created_at').notNull(),
    /** At most a minute behind the last use. */
    lastUsedAt: at('last_used_at').notNull().defaultNow(),
    /** Slides forward with use, up to `endsAt`: a session is over once this has passed. */
    idleEndsAt: at('idle_ends_at').notNull(),
    endsAt: at('ends_at').notNull()
  },
  (table) => [index('sessions_user').on(table.userId), index('sessions_idle_ends').on(table.idleEndsAt)]
)

/** Why the keys of an account are refused: by the identity provider, while its owner is a seat elsewhere, or for good. */
export const suspensionReasons = ['identity', 'team', 'deleted'] as const
export type SuspensionReason = (typeof suspensionReasons)[number]

/** The unit that has a plan, keys and a bill. A personal account has the id of its user. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id').notNull(),
    plan: text('plan').notNull(),
    /** Every reason for which the account is suspended now, each once. */
    suspensions: text('suspensions', { enum: suspensionReasons }).array().notNull().default(sql`'{}'`),
    /** Follows from the reasons, and from nothing else. */
    status: text('status', { enum: ['active', 'suspended'] })
      .notNull()
      .generatedAlwaysAs(sql`case when suspensions = '{}' then 'active' else 'suspended' end`),
    /** The owner's own monthly cap, below the plan's; nanodollars. */
    ownCapNanos: bigint('own_cap_nanos', { mode: 'number' }),
    /** Status of the account's subscription at the payment provider, as billing last read it; null without one. */
    subscriptionStatus: text('subscription_status'),
    /** When the account's changes of keys have worn off; see keys/key-changes.ts. */
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

/** The seats of accounts besides their owners'. A user has at most one. */
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

/** Invitations that wait for an answer: one that is accepted or revoked is removed. */
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

/** Accounts that are customers of the payment provider, and what their subscriptions were when they were last read. */
export const customers = pgTable(
  'customers',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id),
    /** `cus_…` at the payment provider. */
    customerId: text('customer_id').notNull().unique(),
    /** The plan that follows from the subscriptions, and from nothing else. */
    plan: text('plan').notNull(),
    /** What leads to it, or else the newest that there was; null if there was none. */
    subscriptionId: text('subscription_id'),
    /** The price of a plan of the catalog among what it charges, or else the first. */
    priceId: text('price_id'),
    isPastDue: boolean('is_past_due').notNull(),
    renewsAt: at('renews_at'),
    /** When it ends, if it has been cancelled. */
    cancelAt: at('cancel_at'),
    readAt: at('read_at'),
    /** From when on the subscriptions are to be read again, by whoever looks; null if nothing has happened. */
    dueAt: at('due_at'),
    /** How often that was said: what is said while they are being read holds for the next time. */
    marks: integer('marks').notNull().default(0)
  },
  (table) => [index('customers_due').on(table.dueAt).where(sql`${table.dueAt} is not null`)]
)

/** Events of the payment provider that have been dealt with. */
export const billingEvents = pgTable(
  'billing_events',
  {
    /** `evt_…` */
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    customerId: text('customer_id').notNull(),
    at: at('at').notNull()
  },
  (table) => [index('billing_events_at').on(table.at)]
)

/** What `app_metadata.plan` of a user is to be; see accounts/plan-writer.ts. */
export const planWrites = pgTable(
  'plan_writes',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id),
    intended: text('intended').notNull(),
    /** Values that may stand at the provider because we wrote them: anything else was set there by hand. */
    ours: jsonb('ours').$type<string[]>().notNull(),
    /** Raised with every new intention. */
    revision: integer('revision').notNull(),
    /** Whether it remains to be written, or to be found out whether it was. */
    pending: boolean('pending').notNull(),
    /** Until then one writer has it, by the clock of the database. */
    leaseEndsAt: timestamp('lease_ends_at', { withTimezone: true, mode: 'string' })
  },
  (table) => [index('plan_writes_pending').on(table.userId).where(sql`${table.pending}`)]
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
    /** After a rotation: the secret before it, and until when it works. */
    previousDigest: text('previous_digest'),
    previousUntil: at('previous_until'),
    expiresAt: at('expires_at'),
    models: jsonb('models').$type<string[]>(),
    /** What the key may spend in a calendar month, nanodollars. */
    monthlyBudgetNanos: bigint('monthly_budget_nanos', { mode: 'number' }),
    requestsPerMinute: integer('requests_per_minute'),
    metadata: jsonb('metadata').$type<Record<string, string>>().notNull().default({}),
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
    index('keys_revoked').on(table.revokedAt).where(sql`${table.revokedAt} is not null`),
    index('keys_metadata').using('gin', sql`${table.metadata} jsonb_path_ops`),
    check('keys_status', sql`(${table.status} = 'revoked') = (${table.revokedAt} is not null)`),
    check('keys_previous', sql`(${table.previousDigest} is null) = (${table.previousUntil} is null)`)
  ]
)

/**
 * Secrets that were rotated away: their pointers stay in Redis for a while, where they lead to a key that has another
 * secret by now. Rows are written once and never changed.
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
    /** When its grace ends at the latest. */
    diesAt: at('dies_at').notNull()
  },
  (table) => [
    index('former_secrets_shard_version').on(table.secretShard, table.version),
    index('former_secrets_key').on(table.keyId, table.version),
    index('former_secrets_dies').on(table.diesAt)
  ]
)

/**
 * Which key a request with an `Idempotency-Key` made. Also calls about seats that were answered with `change_pending`, by
 * who called and with the team's account instead of a key; see team/pending-seat.ts.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: uuid('account_id').notNull(),
    /** SHA-256 (hex) of what the caller sent, and what for. */
    hash: text('hash').notNull(),
    keyId: text('key_id').notNull(),
    endsAt: at('ends_at').notNull()
  },
  (table) => [primaryKey({ columns: [table.accountId, table.hash] }), index('idempotency_keys_ends').on(table.endsAt)]
)

/** Numbers every change to keys and accounts, in commit order; see projection/change.ts. */
export const changes = pgSequence('changes', { startWith: 1 })

/** The last change of each of the 512 shards: what Redis is compared with. A row appears with the first change. */
export const shards = pgTable('shards', {
  name: text('name').primaryKey(),
  version: version(),
  /** The last change of any revoked key of its accounts that was deleted here; see database/retention/. */
  purged: bigint('purged', { mode: 'number' }).notNull().default(0)
})

/** One row. The epoch is raised when Redis is found ahead of this database, which was restored then. */
export const projection = pgTable(
  'projection',
  {
    one: boolean('one').primaryKey().default(true),
    epoch: integer('epoch').notNull().default(0),
    /** The epoch in which all usage that Redis held was last copied: when a later one begins, the ledger may lack some. */
    ledgerEpoch: integer('ledger_epoch').notNull().default(0),
    /** Copies of usage of earlier hours are refused: the ledger has them, folded into days or dropped; see usage/fold/. */
    ledgerClosedBefore: at('ledger_closed_before'),
    /** All hours before this are folded into days. */
    ledgerFoldedBefore: at('ledger_folded_before')
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

/**
 * Who changed what. Rows name accounts and users without referring to them, so that the log outlives both; see audit/.
 */
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
  (table) => [index('audit_log_account').on(table.accountId, table.at, table.id), index('audit_log_at').on(table.at)]
)

const counterColumn = (counter: UsageCounter) => bigint(usageCounters[counter], { mode: 'number' }).notNull().default(0)

/**
 * What was served and what it cost: one row per account, hour of admission, key and model for each row of usage in Redis. A
 * copy with a newer revision replaces the row. Totals are sums over them; one may be below zero, where it corrects what
 * another counted.
 *
 * The table is partitioned by month; see usage/fold/. Rows of hours that were folded into a day have the run `day`.
 */
export const ledger = pgTable(
  'ledger',
  {
    accountId: uuid('account_id').notNull(),
    /** When the hour began, UTC. */
    hour: at('hour').notNull(),
    /** Which row in Redis: tag of the process that counted, and more; see `Usage` in state/usage/parse-usage.ts. */
    run: text('run').notNull(),
    keyId: text('key_id').notNull(),
    model: text('model').notNull(),
    ...forEachCounter(counterColumn),
    revision: bigint('revision', { mode: 'number' }).notNull()
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hour, table.run, table.keyId, table.model] }),
    index('ledger_hour').using('brin', table.hour)
  ]
)
