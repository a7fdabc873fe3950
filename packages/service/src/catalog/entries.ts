import type { AudioRule, ImageRule } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { usdMembers } from '@tollgate/contracts/prices/model-prices.ts'
import { type Static, type TProperties, Type } from 'typebox'

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

export const Usd = Type.Number({ minimum: 0, maximum: 1e6 })
const Name = Type.String({ minLength: 1, maxLength: 200 })
export const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
export const Factor = Type.Number({ minimum: 0, maximum: 1000 })

/** Dollars by unit and kind. */
const usdPrices = usdMembers(Usd, ['input', 'output'], { additionalProperties: false })

/** A factor of all prices, or one for each side. */
const Times = Type.Union([Factor, closed({ input: Type.Optional(Factor), output: Type.Optional(Factor) })])

const Tokens = Type.Integer({ minimum: 1, maximum: 1e8 })

const LongPrompt = Type.Array(closed({ above: Type.Optional(Tokens), from: Type.Optional(Tokens), times: Times }), {
  minItems: 1
})

const ServiceTiers = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$' }), closed({ times: Times }), {
  additionalProperties: false
})

/** Names of weekdays in the file, Sunday first. */
export const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

const Dated = closed({
  from: Type.Optional(Day),
  until: Type.Optional(Day),
  weekdays: Type.Optional(Type.Array(Type.Enum([...weekdayNames]), { minItems: 1 })),
  utc_hours: Type.Optional(
    Type.Array(Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d-(([01]\\d|2[0-3]):[0-5]\\d|24:00)$' }), {
      minItems: 1
    })
  ),
  ...usdPrices,
  long_prompt: Type.Optional(LongPrompt),
  service_tiers: Type.Optional(ServiceTiers)
})

/** Prices at all times, for every tier and length of a prompt. */
const pricesAtAllTimes = {
  ...usdPrices,
  usd_per_request: Type.Optional(Usd),
  usd_per_call: Type.Optional(Type.Record(Name, Usd)),
  long_prompt: Type.Optional(LongPrompt),
  service_tiers: Type.Optional(ServiceTiers),
  dated: Type.Optional(Type.Array(Dated, { minItems: 1, maxItems: 100 }))
}

/** `retail` of a model, which customers pay, and `bills` of an upstream in its route. */
export const OwnPrices = closed(pricesAtAllTimes)

/** The members of a model that say what its providers bill. */
export const priceMembers = {
  ...pricesAtAllTimes,
  source: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  as_of: Type.Optional(Day),
  list_differences: Type.Optional(
    Type.Array(
      closed({
        kind: Type.Optional(Name),
        list: Type.Optional(Usd),
        because: Type.String({ minLength: 1, maxLength: 500 })
      }),
      { minItems: 1 }
    )
  )
}

const PriceMembers = closed(priceMembers)

export type PriceEntry = Static<typeof PriceMembers>

export type DatedEntry = Static<typeof Dated>

const MediaTokens = Type.Integer({ minimum: 0, maximum: 1e7 })
const Budget = Type.Integer({ minimum: 1, maximum: 1e6 })

/** `images` of a model in `catalog.yaml`; see {@link ImageRule}. */
export const ImageEntry = Type.Union([
  closed({ rule: Type.Literal('tiles'), base: MediaTokens, per_tile: MediaTokens }),
  closed({
    rule: Type.Literal('patches'),
    side_px: Type.Optional(Type.Integer({ minimum: 1, maximum: 2048 })),
    multiplier: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
    budget: Budget,
    budget_by_detail: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Budget))
  }),
  closed({ rule: Type.Literal('fixed'), tokens: MediaTokens })
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
