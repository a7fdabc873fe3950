import { type Static, Type } from 'typebox'
import { featureNames } from '../catalog/features.ts'
import { Pricing, UpcomingPricing } from '../prices/pricing.ts'

export const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String(),
  alias_of: Type.Optional(
    Type.String({ description: 'The model that this name is another name of. Receipts and usage name the model.' })
  ),
  description: Type.Optional(Type.String({ description: 'What the model is for. Absent if it is not known.' })),
  knowledge_cutoff: Type.Optional(
    Type.String({ description: 'The month until which it knows the world: `2026-05`. Absent if it is not known.' })
  ),
  supported_features: Type.Array(Type.Enum(featureNames), {
    description:
      'What it can do besides answering text with text, as far as it is known: call your functions (`tools`), answer in JSON ' +
      '(`json_mode`) or by your schema (`structured_outputs`), think before it answers (`reasoning`), search the web, and charge ' +
      'less for a prompt that it has seen (`prompt_caching`).'
  }),
  endpoints: Type.Array(Type.String(), { description: 'The paths at which the model is offered.' }),
  context_length: Type.Integer({ description: 'The maximum tokens of a prompt and its answer together.' }),
  top_provider: Type.Object({
    context_length: Type.Integer(),
    max_completion_tokens: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The maximum tokens of an answer; null for a model whose answers have none.'
    })
  }),
  pricing: Pricing,
  upcoming_pricing: Type.Optional(
    Type.Array(UpcomingPricing, {
      minItems: 1,
      description:
        'The changes of `pricing` that are already known, the earliest first. Absent if there are none. Prices that hold only at some ' +
        'hours or weekdays are left out here: `pricing` has them while they hold.'
    })
  )
})
export type ModelEntry = Static<typeof ModelEntry>

export const ModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelEntry) })
export type ModelList = Static<typeof ModelList>

const maybeText = Type.Union([Type.String(), Type.Null()])

/** A model as Anthropic's API describes it. */
export const MessageModel = Type.Object({
  type: Type.Literal('model'),
  id: Type.String(),
  display_name: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  max_input_tokens: Type.Integer(),
  max_tokens: Type.Integer(),
  lifecycle: Type.Literal('active'),
  deprecated_at: maybeText,
  retires_at: maybeText,
  capabilities: Type.Null(),
  line: maybeText
})
export type MessageModel = Static<typeof MessageModel>

/** A page of models of Anthropic's API. */
export const MessageModelList = Type.Object({
  data: Type.Array(MessageModel),
  has_more: Type.Boolean(),
  first_id: maybeText,
  last_id: maybeText
})
export type MessageModelList = Static<typeof MessageModelList>
