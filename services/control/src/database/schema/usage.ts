import { forEachCounter, type UsageCounter, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
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
