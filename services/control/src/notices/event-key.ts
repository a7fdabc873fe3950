import type { EventData } from '@tollgate/contracts/events/event-types.ts'

/** A key, as events name it. */
export type EventKey = EventData<'key.created'>['key']
