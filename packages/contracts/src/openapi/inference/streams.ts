import type { Content } from '../document.ts'
import type { schemas } from './schemas.ts'

/**
 * A stream of server-sent events. OpenAPI 3.1 has no schema for their data, so `x-event-data` refers to it.
 *
 * @param event schema of the JSON in each `data:`
 * @param description how the stream ends
 */
export const eventStream = (event: keyof typeof schemas, description: string): Content => ({
  'text/event-stream': {
    schema: { type: 'string', description, 'x-event-data': { $ref: `#/components/schemas/${event}` } }
  }
})
