import { sql } from 'drizzle-orm'
import { bigint, boolean, check, integer, pgSequence, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at, version } from './columns.ts'

/** Every catalog that was ever in force. The newest row is in force. */
export const catalogs = pgTable('catalogs', {
  version: integer('version').primaryKey().generatedAlwaysAsIdentity(),
  sha256: text('sha256').notNull(),
  /** Null after its content was pruned. The digest stays, so that control knows it was published before. */
  json: text('json'),
  /** The text of the file; null after pruning. */
  yaml: text('yaml'),
  /** The operator who applied it; null for one that a replica published from its file. */
  operatorId: uuid('operator_id'),
  /** Why the operator applied it. */
  reason: text('reason'),
  createdAt: at('created_at').notNull()
})

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
     * The ledger rejects copies of usage before this hour: it has that usage already, and may have folded it into days
     * or dropped it; see usage/fold-ledger.ts.
     */
    ledgerClosedBefore: at('ledger_closed_before'),
    /** All hours before this one are folded into days. */
    ledgerFoldedBefore: at('ledger_folded_before')
  },
  (table) => [check('projection_one_row', sql`${table.one}`)]
)
