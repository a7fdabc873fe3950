import { type Static, Type } from 'typebox'
import { kindNames } from '../catalog/apis.ts'
import { featureNames } from '../catalog/features.ts'
import { usdMembers } from '../prices/model-prices.ts'
import { described } from './described.ts'

const Usd = Type.Number({ minimum: 0 })
const Plan = Type.Object({
  id: described('The id of the plan.', Type.String()),
  name: described('The name of the plan.', Type.String())
})

export const PricesOfTier = Type.Object({
  tier: Type.String({ description: '`default` for requests that do not choose a service tier.' }),
  above_prompt_tokens: Type.Integer({ description: 'The prices apply to prompts of more tokens than this.' }),
  /** A kind that is left out has no price of its own. */
  ...usdMembers(Usd, ['input', 'cached_input', 'output'])
})
export type PricesOfTier = Static<typeof PricesOfTier>

const Instant = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

export const PricesOfPeriod = Type.Object({
  is_now: described('Whether the prices apply now.', Type.Boolean()),
  from: described('From when they apply; null: always until now.', Instant),
  until: described('Until when they apply; null: no end is known.', Instant),
  weekdays: Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), { description: '0 is Sunday; empty for every day.' }),
  utc_hours: Type.Array(Type.String(), { description: 'Such as `01:00-04:00`; empty for the whole day.' }),
  rows: described('The prices by service tier and length of the prompt.', Type.Array(PricesOfTier))
})
export type PricesOfPeriod = Static<typeof PricesOfPeriod>

/** A model of the account's plan, or of a plan on sale. */
export const PricedModel = Type.Object({
  id: described('The name of the model in requests.', Type.String()),
  aliases: Type.Array(Type.String(), { description: 'Further names that requests may use.' }),
  kind: described('What the model does: which endpoints can call it.', Type.Enum(kindNames)),
  owned_by: described('Who serves the model.', Type.String()),
  about: Type.Union([Type.String(), Type.Null()], { description: 'What the model is for; null if it is not known.' }),
  features: Type.Array(Type.Enum(featureNames), {
    description: 'What it can do besides answering text with text, as far as it is known.'
  }),
  knowledge: Type.Union([Type.String(), Type.Null()], {
    description: 'The month until which it knows the world, such as `2026-05`; null if it is not known.'
  }),
  context_tokens: described('The maximum tokens of a prompt and its answer together.', Type.Integer()),
  max_output_tokens: described(
    'The maximum tokens of an answer; 0 for a model whose answers have none.',
    Type.Integer()
  ),
  accepts: described('What prompts may have.', Type.Array(Type.Enum(['text', 'image', 'audio']))),
  endpoints: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'The paths at which the model is offered; null while no gateway is known.'
  }),
  is_included: Type.Boolean({ description: 'Whether the account’s plan includes the model.' }),
  plans: Type.Array(Plan, { description: 'The plans on sale that include the model.' }),
  prices: described('The prices by time.', Type.Array(PricesOfPeriod, { minItems: 1 })),
  usd_per_request: described('US dollars for each request, besides its tokens.', Usd),
  usd_per_call: Type.Record(Type.String(), Usd, { description: 'For each call of a tool that the provider runs.' })
})
export type PricedModel = Static<typeof PricedModel>

export const PricedModelsResponse = Type.Object({
  plan: described("The account's plan.", Plan),
  models: described("The models of the account's plan and of the plans on sale.", Type.Array(PricedModel))
})
export type PricedModelsResponse = Static<typeof PricedModelsResponse>
