import { sql } from 'drizzle-orm'
import { bigint, boolean, check, integer, pgSequence, pgTable, text } from 'drizzle-orm/pg-core'
import { at, version } from './columns.ts'

/** Numbers every change to keys and accounts, in commit order; see projection/record-change.ts. */
export const changes = pgSequence('changes', { startWith: 1 })

/** The last change of each of the 512 shards, to compare with Redis. A shard has a row after its first change. */
export const shards = pgTable('shards', {
  name: text('name').primaryKey(),
  version: version(),
  /** The last change of the shard's revoked keys that were deleted from this database; see retention/old-rows.ts. */
  purged: bigint('purged', { mode: 'number' }).notNull().default(0)
})

/** One row. The epoch increases when Redis is ahead of this database; see projection/compare-shards.ts. */
export const projection = pgTable(
  'projection',
  {
    one: boolean('one').primaryKey().default(true),
    epoch: integer('epoch').notNull().default(0),
    /** The epoch of the last copy of all usage in Redis. In a later epoch, the ledger may lack some usage. */
    ledgerEpoch: integer('ledger_epoch').notNull().default(0),
    /**
     * The ledger rejects copies of usage before this hour: it has that usage already, and may have folded it into days or
     * dropped it; see usage/fold-ledger.ts.
     */
    ledgerClosedBefore: at('ledger_closed_before'),
    /** All hours before this one are folded into days. */
    ledgerFoldedBefore: at('ledger_folded_before')
  },
  (table) => [check('projection_one_row', sql`${table.one}`)]
)
