import { type Static, Type } from 'typebox'

const Tokens = Type.Integer({ minimum: 0, maximum: 1e7 })
const closed = { additionalProperties: false } as const

/**
 * How a provider counts the tokens of an image in a prompt. Every rule gives the most that an image can count, also where
 * nothing is known of the image.
 */
export const ImageRule = Type.Union([
  /** `base` in low detail. Else `base` and `perTile` for each 512 px tile, of an image fitted into 2048 px and a short side of 768 px. */
  Type.Object({ rule: Type.Literal('tiles'), base: Tokens, perTile: Tokens }, closed),
  /** `multiplier` tokens for each square of `sidePx`, of which an image has at most `budget`. */
  Type.Object(
    {
      rule: Type.Literal('patches'),
      sidePx: Type.Integer({ minimum: 1, maximum: 2048 }),
      multiplier: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
      budget: Type.Integer({ minimum: 1, maximum: 1e6 }),
      /** The budget of a `detail` for which the provider documents another one. */
      budgetByDetail: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 1e6 })))
    },
    closed
  ),
  /** The same for every image: the provider's maximum. */
  Type.Object({ rule: Type.Literal('fixed'), tokens: Tokens }, closed)
])
export type ImageRule = Static<typeof ImageRule>

/** How a provider counts the tokens of speech in a prompt. */
export const AudioRule = Type.Object({ tokensPerSecond: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }) }, closed)
export type AudioRule = Static<typeof AudioRule>
