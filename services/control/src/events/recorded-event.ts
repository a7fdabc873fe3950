import type { events } from '../database/schema/events.ts'

/** A stored event. */
export type RecordedEvent = typeof events.$inferSelect
