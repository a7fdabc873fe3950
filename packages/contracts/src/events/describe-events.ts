import type { TSchema } from 'typebox'

export interface DescribedEvent {
  readonly type: string
  readonly description: string
  /** JSON Schema of the event's data. */
  readonly data: { readonly [keyword: string]: unknown }
}

/** Lists event types with their meaning and the JSON Schema of their data, in their order. */
export const describeEvents = (events: Readonly<Record<string, TSchema>>): DescribedEvent[] =>
  Object.entries(events).map(([type, schema]) => {
    const { description = '', ...data } = JSON.parse(JSON.stringify(schema)) as { description?: string }
    return { type, description, data }
  })
