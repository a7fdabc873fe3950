import { sql } from 'drizzle-orm'
import { bigint, boolean, check, customType, integer, pgTable, uuid } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/** Receipts that a collector does not have yet: a row has up to a hundred of them. Empty without an export; see requests/export. */
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
