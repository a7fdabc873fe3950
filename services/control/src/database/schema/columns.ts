import { bigint, timestamp } from 'drizzle-orm/pg-core'

/** A time with milliseconds, as a `Date`. */
export const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })

/** The number of the last change to the row; see projection/record-change.ts. */
export const version = () => bigint('version', { mode: 'number' }).notNull()
