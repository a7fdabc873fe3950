import { bigint, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/**
 * How many requests of a model succeeded and failed in an hour, as gateways reported to Redis; see
 * status/served-hours.ts. Counts only grow. No row says whose requests these were.
 */
export const servedHours = pgTable(
  'served_hours',
  {
    /** When the hour began, UTC. */
    hour: at('hour').notNull(),
    /** The catalog's name. */
    model: text('model').notNull(),
    successes: bigint('successes', { mode: 'number' }).notNull(),
    failures: bigint('failures', { mode: 'number' }).notNull()
  },
  (table) => [primaryKey({ columns: [table.hour, table.model] })]
)
