import { type Static, Type } from 'typebox'
import { described } from './described.ts'

/** A token for the playground: gateways accept it like an API key, until it expires. */
export const PlaygroundToken = Type.Object({
  id: described('Usage and requests have it as their `key_id`.', Type.String()),
  value: described('The secret. It is shown only in this answer.', Type.String()),
  expires_at: described('When it stops working.', Type.String({ format: 'date-time' })),
  expires_in: described('Seconds until then, for clients whose clock is wrong.', Type.Integer({ minimum: 0 }))
})
export type PlaygroundToken = Static<typeof PlaygroundToken>

export const PlaygroundTokenResponse = Type.Object({ token: described('The token.', PlaygroundToken) })
