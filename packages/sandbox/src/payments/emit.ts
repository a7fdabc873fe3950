import Stripe from 'stripe'
import type { Deliveries } from './database.ts'
import type { Objects, StoredEndpoint } from './object-store.ts'
import { type EventObject, type EventType, newId, type WireEvent } from './wire.ts'

/** Stores an event of the current time. `previous` holds the former values of changed attributes. */
export type Emit = (type: EventType, object: EventObject, previous?: Record<string, unknown>) => WireEvent

export interface EmitOptions {
  readonly objects: Objects
  readonly deliveries: Deliveries
  /** The API request that makes the change; null without one. */
  readonly request: () => Stripe.Event.Request | null
  /** Unix seconds of the account's clock. */
  readonly nowS: () => number
  /** Unix milliseconds of the machine's clock, which decides when deliveries are due. */
  readonly nowMs: () => number
}

/** Stores events and deliveries in the transaction of the change, so that both are stored or neither. */
export function createEmit({ objects, deliveries, request, nowS, nowMs }: EmitOptions): Emit {
  return (type, object, previous) => {
    const endpoints = objects.list('endpoint').filter((endpoint) => isSubscribed(endpoint, type))
    const event: WireEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: nowS(),
      data: { object, ...(previous !== undefined && { previous_attributes: previous }) },
      livemode: false,
      pending_webhooks: endpoints.length,
      request: request() ?? { id: null, idempotency_key: null },
      type
    }
    objects.put('event', event)
    for (const { id } of endpoints) {
      deliveries.add({ event_id: event.id, event_type: type, endpoint_id: id, next_ms: nowMs() })
    }
    return event
  }
}

function isSubscribed({ endpoint }: StoredEndpoint, type: EventType): boolean {
  return (
    endpoint.status === 'enabled' && (endpoint.enabled_events.includes('*') || endpoint.enabled_events.includes(type))
  )
}
