import { sql } from 'drizzle-orm'
import { bigint, boolean, check, integer, pgTable, timestamp } from 'drizzle-orm/pg-core'

/** A table with one row: the progress of a sweep of a provider's list, and its lease; see background/sweep-lease.ts. */
export const sweepTable = <Name extends string>(name: Name) =>
  pgTable(
    name,
    {
      one: boolean('one').primaryKey().default(true),
      startedAt: at('started_at').notNull(),
      /** The next page of the list; null after the last one. */
      page: integer('page'),
      /** When a sweep was last completed. Before `startedAt`: the present one is not. */
      finishedAt: at('finished_at'),
      /** The replica that works on it keeps extending this. After this time, any replica may take over. */
      leaseEndsAt: at('lease_ends_at').notNull()
    },
    (table) => [check(`${name}_one_row`, sql`${table.one}`)]
  )

/** A time with milliseconds, as a `Date`. */
export const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })

/** The number of the last change to the row; see projection/record-change.ts. */
export const version = () => bigint('version', { mode: 'number' }).notNull()
