import type { events } from '../database/schema/events.ts'

/** An event, as it is stored. */
export type RecordedEvent = typeof events.$inferSelect
