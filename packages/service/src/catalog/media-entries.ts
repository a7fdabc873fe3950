import type { AudioRule, ImageRule } from '@tollgate/contracts/catalog/media-rules.ts'
import { type Static, type TProperties, Type } from 'typebox'

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })
const Tokens = Type.Integer({ minimum: 0, maximum: 1e7 })
const Budget = Type.Integer({ minimum: 1, maximum: 1e6 })

/** `images` of a model in `catalog.yaml`; see {@link ImageRule}. */
export const ImageEntry = Type.Union([
  closed({ rule: Type.Literal('tiles'), base: Tokens, per_tile: Tokens }),
  closed({
    rule: Type.Literal('patches'),
    side_px: Type.Optional(Type.Integer({ minimum: 1, maximum: 2048 })),
    multiplier: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
    budget: Budget,
    budget_by_detail: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Budget))
  }),
  closed({ rule: Type.Literal('fixed'), tokens: Tokens })
])

/** `audio` of a model in `catalog.yaml`. */
export const AudioEntry = closed({ tokens_per_second: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }) })

/** OpenAI's patches. */
const defaultSidePx = 32

export function toImageRule(entry: Static<typeof ImageEntry>): ImageRule {
  switch (entry.rule) {
    case 'tiles':
      return { rule: 'tiles', base: entry.base, perTile: entry.per_tile }
    case 'patches': {
      const { side_px: sidePx = defaultSidePx, multiplier, budget, budget_by_detail: budgetByDetail } = entry
      return { rule: 'patches', sidePx, multiplier, budget, ...(budgetByDetail !== undefined && { budgetByDetail }) }
    }
    case 'fixed':
      return entry
  }
}

export const toAudioRule = (entry: Static<typeof AudioEntry>): AudioRule => ({
  tokensPerSecond: entry.tokens_per_second
})
