import Type, { type Static } from 'typebox'
import type { DeliveryState } from '../store/deliveries.ts'

/** How webhooks are sent. The lists hold event types; `*` matches all. */
export const DeliveryMode = Type.Object(
  {
    /** Sent only on release. */
    hold: Type.Array(Type.String()),
    /** Never sent; only `GET /v1/events` lists them. */
    drop: Type.Array(Type.String()),
    /** Sent again after they were received. */
    duplicate: Type.Array(Type.String()),
    /** Whether deliveries that are due together are sent one after another, in random order. */
    shuffle: Type.Boolean()
  },
  { additionalProperties: false }
)

export type DeliveryMode = Static<typeof DeliveryMode>

export const defaultMode: DeliveryMode = { hold: [], drop: [], duplicate: [], shuffle: false }

/** The first state of deliveries of an event type. */
export function startState({ hold, drop }: DeliveryMode, type: string): DeliveryState {
  return names(drop, type) ? 'dropped' : names(hold, type) ? 'held' : 'pending'
}

export function names(types: readonly string[], type: string): boolean {
  return types.includes('*') || types.includes(type)
}
