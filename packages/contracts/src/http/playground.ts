import { type Static, Type } from 'typebox'

/** A token for the playground: gateways accept it like an API key, until it expires. */
export const PlaygroundToken = Type.Object({
  /** Usage and requests have it as their `key_id`. */
  id: Type.String(),
  /** The secret. It is shown only in this answer. */
  value: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
  /** Seconds until then, for clients whose clock is wrong. */
  expires_in: Type.Integer({ minimum: 0 })
})
export type PlaygroundToken = Static<typeof PlaygroundToken>

export const PlaygroundTokenResponse = Type.Object({ token: PlaygroundToken })
