import Stripe from 'stripe'
import { newId } from '../objects/new-id.ts'
import type { Deliveries, DeliveryState } from '../store/deliveries.ts'
import type { StoredEndpoint } from '../store/kinds.ts'
import type { Objects } from '../store/objects.ts'
import type { EventObject, EventType, WireEvent } from '../wire.ts'

/** Records an event of this moment; `previous` are former values of what has changed. */
export type Emit = (type: EventType, object: EventObject, previous?: Record<string, unknown>) => WireEvent

export interface EmitOptions {
  readonly objects: Objects
  readonly deliveries: Deliveries
  /** In what state deliveries of a type start. */
  readonly startState: (type: EventType) => DeliveryState
  /** The request that is being carried out, if the change comes from one. */
  readonly request: () => Stripe.Event.Request | null
  /** Unix seconds, of the account's clock. */
  readonly nowS: () => number
  /** Unix milliseconds, of the machine's clock, by which deliveries go. */
  readonly nowMs: () => number
}

/** Events are stored with their deliveries in the transaction of the change, so that none is lost or told without cause. */
export function createEmit({ objects, deliveries, startState, request, nowS, nowMs }: EmitOptions): Emit {
  return (type, object, previous) => {
    const endpoints = objects.list('endpoint').filter((endpoint) => hears(endpoint, type))
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
      deliveries.add({
        event_id: event.id,
        event_type: type,
        endpoint_id: id,
        state: startState(type),
        next_ms: nowMs()
      })
    }
    return event
  }
}

function hears({ endpoint }: StoredEndpoint, type: EventType): boolean {
  return (
    endpoint.status === 'enabled' && (endpoint.enabled_events.includes('*') || endpoint.enabled_events.includes(type))
  )
}
