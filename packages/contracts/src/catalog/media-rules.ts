import { type Static, Type } from 'typebox'

const Tokens = Type.Integer({ minimum: 0, maximum: 1e7 })
const closed = { additionalProperties: false } as const

/**
 * How a provider counts the tokens of an image in a prompt. Every rule has a maximum for images of unknown size.
 */
export const ImageRule = Type.Union([
  /**
   * `base` in low detail. Else `base` and `perTile` for each 512 px tile, of an image fitted into 2048 px and a short
   * side of 768 px.
   */
  Type.Object({ rule: Type.Literal('tiles'), base: Tokens, perTile: Tokens }, closed),
  /** `multiplier` tokens for each square of `sidePx`. An image has at most `budget` squares. */
  Type.Object(
    {
      rule: Type.Literal('patches'),
      sidePx: Type.Integer({ minimum: 1, maximum: 2048 }),
      multiplier: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
      budget: Type.Integer({ minimum: 1, maximum: 1e6 }),
      /** Other budgets, by `detail`. */
      budgetByDetail: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 1e6 })))
    },
    closed
  ),
  /** The same for every image: the provider's maximum. */
  Type.Object({ rule: Type.Literal('fixed'), tokens: Tokens }, closed)
])
export type ImageRule = Static<typeof ImageRule>

/** How a provider counts the tokens of audio in a prompt. */
export const AudioRule = Type.Object({ tokensPerSecond: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }) }, closed)
export type AudioRule = Static<typeof AudioRule>
