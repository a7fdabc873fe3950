import { forEachCounter, type UsageCounter, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import { bigint, index, pgSequence, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

const counterColumn = (counter: UsageCounter) => bigint(usageCounters[counter], { mode: 'number' }).notNull().default(0)

/**
 * What was served and what it cost: one row for each usage row in Redis, with its account, hour of admission, key and
 * model. A copy with a newer revision replaces the row. Totals are sums of rows. A row that corrects another may be
 * negative.
 *
 * The table is partitioned by month; see usage/fold-ledger.ts. Rows of hours that were folded into a day have the run
 * `day`, or `day-<upstream>`.
 */
export const ledger = pgTable(
  'ledger',
  {
    accountId: uuid('account_id').notNull(),
    /** When the hour began, UTC. */
    hour: at('hour').notNull(),
    /**
     * Identifies the row in Redis, together with the columns above and below; see `Usage` in
     * state/usage/usage.ts.
     */
    run: text('run').notNull(),
    keyId: text('key_id').notNull(),
    model: text('model').notNull(),
    /** The upstream that served it. Empty: not known. `run` tells rows of different upstreams apart. */
    upstream: text('upstream').notNull().default(''),
    ...forEachCounter(counterColumn),
    revision: bigint('revision', { mode: 'number' }).notNull()
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hour, table.run, table.keyId, table.model] }),
    index('ledger_hour').using('brin', table.hour)
  ]
)

/** What the months cost that were dropped from the ledger: budgets for ever count them. */
export const ledgerTotals = pgTable(
  'ledger_totals',
  {
    accountId: uuid('account_id').notNull(),
    keyId: text('key_id').notNull(),
    model: text('model').notNull(),
    costNanos: bigint('cost_nanos', { mode: 'number' }).notNull()
  },
  (table) => [primaryKey({ columns: [table.accountId, table.keyId, table.model] })]
)

/** Numbers budgets with a window. */
export const budgetIds = pgSequence('budget_ids', { startWith: 1 })

/**
 * Budgets whose counters in Redis must be brought to what the ledger says, or removed if the budget is gone; see
 * budgets/count-budgets.ts.
 */
export const budgetCounts = pgTable(
  'budget_counts',
  {
    /** Of the budget. */
    id: bigint('id', { mode: 'number' }).primaryKey(),
    accountId: uuid('account_id').notNull(),
    /** Null for a budget of the account or of a member. */
    keyId: text('key_id'),
    /** Of the account's hash in Redis. */
    field: text('field').notNull(),
    dueAt: at('due_at').notNull()
  },
  (table) => [index('budget_counts_account').on(table.accountId), index('budget_counts_due').on(table.dueAt)]
)
