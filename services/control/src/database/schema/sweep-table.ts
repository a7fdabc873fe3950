import { sql } from 'drizzle-orm'
import { boolean, check, integer, pgTable } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** A table with one row: the progress of a sweep of a provider's list, and its lease; see leased-rows/sweep-lease.ts. */
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
