import Type, { type Static } from 'typebox'
import type { DeliveryState } from '../store/deliveries.ts'

/** How webhooks go out. Names of event types; `*` stands for all. */
export const DeliveryMode = Type.Object(
  {
    /** Kept back until they are released. */
    hold: Type.Array(Type.String()),
    /** Never sent: only `GET /v1/events` tells of them. */
    drop: Type.Array(Type.String()),
    /** Sent once more after they were received. */
    duplicate: Type.Array(Type.String()),
    /** Whether those that are due together go out one after another in random order. */
    shuffle: Type.Boolean()
  },
  { additionalProperties: false }
)

export type DeliveryMode = Static<typeof DeliveryMode>

export const usualMode: DeliveryMode = { hold: [], drop: [], duplicate: [], shuffle: false }

/** In what state deliveries of events of a type start. */
export function startState({ hold, drop }: DeliveryMode, type: string): DeliveryState {
  return names(drop, type) ? 'dropped' : names(hold, type) ? 'held' : 'pending'
}

export function names(types: readonly string[], type: string): boolean {
  return types.includes('*') || types.includes(type)
}
