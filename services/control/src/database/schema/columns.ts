import { sql } from 'drizzle-orm'
import { type AnyPgColumn, bigint, boolean, check, integer, pgTable, timestamp } from 'drizzle-orm/pg-core'

/** A table with one row: the progress of a sweep of a provider's list, and its lease; see background/sweep-lease.ts. */
export const sweepTable = <Name extends string>(name: Name) =>
  pgTable(name, sweepColumns(), ({ one }) => [hasOneRow(name, one)])

/** The columns of a sweep's table, for one that has further columns. */
export const sweepColumns = () => ({
  one: boolean('one').primaryKey().default(true),
  startedAt: at('started_at').notNull(),
  /** The next page of the list; null after the last one. */
  page: integer('page'),
  /** When a sweep was last completed. Before `startedAt`: the present one is not. */
  finishedAt: at('finished_at'),
  /** The replica that works on it keeps extending this. After this time, any replica may take over. */
  leaseEndsAt: at('lease_ends_at').notNull()
})

/** The check that a sweep's table has one row. */
export const hasOneRow = (table: string, one: AnyPgColumn) => check(`${table}_one_row`, sql`${one}`)

/** A time with milliseconds, as a `Date`. */
export const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })

/** The number of the last change to the row; see projection/record-change.ts. */
export const version = () => bigint('version', { mode: 'number' }).notNull()
