import type { RecordedEvent } from '../database/schema/events.ts'

/** The body of an event's webhook message. */
export const messageOf = ({ type, at, data }: RecordedEvent) => ({ type, timestamp: at.toISOString(), data })
